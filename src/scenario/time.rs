//! Times and lengths of time, as a scenario writes them.

use crate::group::datetime;

const UNITS: [(&str, i64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// A time: milliseconds since 1970, or so long after the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Milliseconds since 1970.
    At(i64),
    /// Milliseconds after the clock; before it where negative.
    After(i64),
}

/// A length with its sign, in the largest unit that needs no fraction: `+90s`, `-1h`.
///
/// ```
/// use loglanes::scenario::{parse_span, print_span};
///
/// assert_eq!(print_span(5_400_000), "+90m");
/// assert_eq!(parse_span("+90m"), Some(5_400_000));
/// assert_eq!(parse_span("90"), None, "without a unit");
/// ```
#[must_use]
pub fn print_span(ms: i64) -> String {
    let unit = UNITS.iter().find(|(_, unit)| ms != 0 && ms % unit == 0);
    let (name, unit) = unit.unwrap_or(&("ms", 1));
    format!("{:+}{name}", ms / unit)
}

/// A whole number with one of the units `ms`, `s`, `m`, `h` and `d`, as milliseconds.
#[must_use]
pub fn parse_span(text: &str) -> Option<i64> {
    let digits = text.find(|letter: char| letter.is_ascii_alphabetic())?;
    let (number, name) = text.split_at(digits);
    let (_, unit) = UNITS.iter().find(|(unit, _)| *unit == name)?;
    number.parse::<i64>().ok()?.checked_mul(*unit)
}

/// A time in ISO 8601 with a `Z`, such as `2023-11-14T22:13:20Z` or `2023-11-14T22:13:20.500Z`.
pub(super) fn parse_iso(text: &str) -> Option<i64> {
    let body = text.strip_suffix('Z')?;
    let (_, clock) = body.split_once('T')?;
    let full = match (clock.len(), clock.split_once('.')) {
        (5, None) => format!("{body}:00.000Z"),
        (8, None) => format!("{body}.000Z"),
        (12, Some((_, fraction))) if fraction.len() == 3 => text.to_owned(),
        _ => return None,
    };
    datetime::parse_ms(&full).ok()
}

/// As [`parse_iso`] reads it, where it can be written so; else the milliseconds.
pub(super) fn print_time(ms: i64) -> String {
    let day = 86_400_000;
    let (days, rest) = (ms.div_euclid(day), ms.rem_euclid(day));
    // The days of a year that begins in March, by the proleptic Gregorian calendar.
    let era_days = days + 719_468;
    let (era, of_era) = (era_days.div_euclid(146_097), era_days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (day, month) = (
        of_year - (153 * shifted + 2) / 5 + 1,
        if shifted < 10 { shifted + 3 } else { shifted - 9 },
    );
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    if !(1..=9_999).contains(&year) {
        return ms.to_string();
    }
    let (seconds, thousandths) = (rest / 1_000, rest % 1_000);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let fraction = if thousandths == 0 { String::new() } else { format!(".{thousandths:03}") };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_written_as_everyone_reads_them() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (1_700_000_000_000, "2023-11-14T22:13:20Z"),
            (951_827_696_789, "2000-02-29T12:34:56.789Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!((print_time(ms).as_str(), parse_iso(text)), (text, Some(ms)));
        }
        assert_eq!(parse_iso("2023-11-14T22:13Z"), Some(1_699_999_980_000));
        for bad in ["2023-11-14", "2023-11-14T22:13:20", "2023-11-14T22:13:20.5Z", "Z", "TZ"] {
            assert_eq!(parse_iso(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn every_span_comes_back(ms: i64) {
            prop_assert_eq!(parse_span(&print_span(ms)), Some(ms));
        }

        #[test]
        fn every_time_comes_back(ms: i64, near in -62_135_596_800_000..253_402_300_799_999_i64) {
            let printed = print_time(ms);
            prop_assert_eq!(parse_iso(&printed).or_else(|| printed.parse().ok()), Some(ms));
            prop_assert_eq!(parse_iso(&print_time(near)), Some(near));
        }
    }
}
