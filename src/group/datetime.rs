//! Points in time as Kafka's tools read them: `2023-11-14T22:13:24.500`, UTC unless a zone follows.
//!
//! Source: `Utils.getDateTime` with the pattern `yyyy-MM-dd'T'HH:mm:ss.SSSX` of Java's
//! `SimpleDateFormat`, not lenient.

use crate::error::{Error, Result};

/// Milliseconds since 1970. The part behind the seconds is a count of milliseconds, not a
/// fraction: `.5` is 5 ms.
///
/// # Errors
///
/// `ParseException`, where there is no `T`, a part is missing (the milliseconds, too) or out of
/// its range.
///
/// ```
/// use loglanes::group::datetime::parse_ms;
///
/// assert_eq!(parse_ms("2023-11-14T22:13:20.000")?, 1_700_000_000_000);
/// assert_eq!(parse_ms("2023-11-14T23:13:20.5+01:00")?, 1_700_000_000_005);
/// assert!(parse_ms("2023-11-14T22:13:20").is_err(), "without milliseconds");
/// # Ok::<(), loglanes::Error>(())
/// ```
pub fn parse_ms(text: &str) -> Result<i64> {
    let Some((_, time)) = text.split_once('T').filter(|(_, time)| !time.is_empty()) else {
        return Err(refusal(
            "Error parsing timestamp. It does not contain a 'T' according to ISO8601 format",
        ));
    };
    let text = if time.contains(['+', '-', 'Z']) { text.to_owned() } else { format!("{text}Z") };
    parse(&text).ok_or_else(|| refusal(format!("Unparseable date: \"{text}\"")))
}

fn refusal(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::client("ParseException", message)
        .with_hint("Write it as 2023-11-14T22:13:24.500, milliseconds and all; a zone such as +01:00 may follow.")
}

fn parse(text: &str) -> Option<i64> {
    let (date, time) = text.split_once('T')?;
    let mut date = date.splitn(3, '-');
    let year = in_range(date.next()?, 1, 9_999)?;
    let month = in_range(date.next()?, 1, 12)?;
    let day = in_range(date.next()?, 1, days_of(year, month))?;
    let zone_at = time.find(['+', '-', 'Z'])?;
    let (clock, zone) = time.split_at(zone_at);
    let (clock, ms) = clock.split_once('.')?;
    let mut clock = clock.splitn(3, ':');
    let hour = in_range(clock.next()?, 0, 23)?;
    let minute = in_range(clock.next()?, 0, 59)?;
    let second = in_range(clock.next()?, 0, 59)?;
    let ms = in_range(ms, 0, 999)?;
    let seconds = (days_since_1970(year, month, day) * 24 + hour) * 3_600 + minute * 60 + second;
    Some((seconds - zone_seconds(zone)?) * 1_000 + ms)
}

fn in_range(text: &str, least: i64, most: i64) -> Option<i64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?.filter(|number| (least..=most).contains(number))
}

/// `Z`, `+01`, `+0100` and `+01:00`.
fn zone_seconds(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits = zone.get(1..)?.replace(':', "");
    let (hours, minutes) = match digits.len() {
        2 => (digits.as_str(), "0"),
        4 => digits.split_at(2),
        _ => return None,
    };
    Some(sign * (in_range(hours, 0, 23)? * 3_600 + in_range(minutes, 0, 59)? * 60))
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let before =
        |year: i64| (year - 1) * 365 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400;
    let months: i64 = (1..month).map(|month| days_of(year, month)).sum();
    before(year) - before(1970) + months + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_over_leap_years() {
        for (text, days) in
            [("1970-01-01", 0), ("2000-02-29", 11_016), ("2000-03-01", 11_017), ("1969-12-31", -1)]
        {
            assert_eq!(parse_ms(&format!("{text}T00:00:00.000")).unwrap(), days * 86_400_000);
        }
        assert!(parse_ms("2023-02-29T00:00:00.000").is_err());
    }
}
