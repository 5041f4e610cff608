//! Lengths of time as Java's `Duration` reads and prints them: `PT1H30M`, `P2DT0.5S`.
//!
//! Source: the documentation of `java.time.Duration.parse` and `toString`.

use std::fmt::Write;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The milliseconds of an ISO 8601 duration, what is finer cut off; none if it is not one. Parts
/// may have signs of their own, letters may be small; months and years are not lengths of time.
///
/// ```
/// use loglanes::group::duration::parse_ms;
///
/// assert_eq!(parse_ms("PT1H30M"), Some(5_400_000));
/// assert_eq!(parse_ms("P1D"), Some(86_400_000));
/// assert_eq!(parse_ms("-PT0.5S"), Some(-500));
/// assert_eq!([parse_ms("1h"), parse_ms("P"), parse_ms("P1DT")], [None; 3]);
/// ```
#[must_use]
pub fn parse_ms(text: &str) -> Option<i64> {
    let upper = text.to_ascii_uppercase();
    let (sign, rest) = match upper.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, upper.strip_prefix('+').unwrap_or(&upper)),
    };
    let rest = rest.strip_prefix('P')?;
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) if !time.is_empty() => (date, time),
        Some(_) => return None,
        None if rest.is_empty() => return None,
        None => (rest, ""),
    };
    let days = match date {
        "" => 0,
        _ => whole(date.strip_suffix('D')?)?.checked_mul(DAY)?,
    };
    let mut total = days;
    let mut rest = time;
    for (letter, unit) in [('H', HOUR), ('M', MINUTE)] {
        if let Some((number, after)) = rest.split_once(letter) {
            total = total.checked_add(whole(number)?.checked_mul(unit)?)?;
            rest = after;
        }
    }
    if !rest.is_empty() {
        total = total.checked_add(seconds(rest.strip_suffix('S')?)?)?;
    }
    total.checked_mul(sign)
}

fn whole(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

fn seconds(text: &str) -> Option<i64> {
    let (number, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    if fraction.len() > 9 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let thousandths: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let thousandths = if number.starts_with('-') { -thousandths } else { thousandths };
    whole(number)?.checked_mul(SECOND)?.checked_add(thousandths)
}

/// A length of time that is not negative, as Java prints it: in hours, minutes and seconds.
///
/// ```
/// use loglanes::group::duration::print_ms;
///
/// assert_eq!(print_ms(7_000 * 86_400_000), "PT168000H");
/// assert_eq!([print_ms(0), print_ms(61_500)], ["PT0S", "PT1M1.5S"]);
/// ```
#[must_use]
pub fn print_ms(ms: i64) -> String {
    let mut text = String::from("PT");
    for (unit, letter) in [(HOUR, 'H'), (MINUTE, 'M')] {
        let count = if unit == HOUR { ms / HOUR } else { ms % HOUR / MINUTE };
        if count > 0 {
            let _ = write!(text, "{count}{letter}");
        }
    }
    let (seconds, thousandths) = (ms % MINUTE / SECOND, ms % SECOND);
    if thousandths > 0 {
        let fraction = format!("{thousandths:03}");
        let _ = write!(text, "{seconds}.{}S", fraction.trim_end_matches('0'));
    } else if seconds > 0 || text.len() == 2 {
        let _ = write!(text, "{seconds}S");
    }
    text
}
