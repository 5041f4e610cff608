//! What a reset is told by: a time as the tool reads it.

const MINUTE: i64 = 60_000;

/// A moment as `kafka-consumer-groups --to-datetime` takes it, in a zone: none, `Z`, `+02`, `+0200` or
/// `+02:00`.
pub fn datetime(ms: i64, zone: &str) -> String {
    let digits: Vec<i64> =
        zone.bytes().filter(u8::is_ascii_digit).map(|d| i64::from(d - 48)).collect();
    let number = |at: usize| digits.get(at).copied().unwrap_or(0);
    let minutes = (number(0) * 10 + number(1)) * 60 + number(2) * 10 + number(3);
    let ms = ms + if zone.starts_with('-') { -minutes } else { minutes } * MINUTE;
    let (days, of_day) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    let (year, month, day) = date(days);
    let (hour, minute) = (of_day / 3_600_000, of_day / MINUTE % 60);
    let (second, ms) = (of_day / 1_000 % 60, of_day % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}{zone}")
}

/// Year, month and day, so many days after 1970-01-01: counted year by year, month by month.
fn date(mut days: i64) -> (i64, i64, i64) {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut year = 1970;
    loop {
        let of_year = if is_leap(year) { 366 } else { 365 };
        if days < of_year {
            break;
        }
        days -= of_year;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for of_month in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < of_month {
            break;
        }
        days -= of_month;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::datetime;

    #[test]
    fn a_moment_is_written_as_the_tool_reads_it() {
        assert_eq!(datetime(1_700_000_000_007, ""), "2023-11-14T22:13:20.007");
        assert_eq!(datetime(1_709_251_199_000, "Z"), "2024-02-29T23:59:59.000Z");
        assert_eq!(datetime(1_700_000_000_000, "+02:00"), "2023-11-15T00:13:20.000+02:00");
        assert_eq!(datetime(1_700_000_000_000, "-0530"), "2023-11-14T16:43:20.000-0530");
    }
}
