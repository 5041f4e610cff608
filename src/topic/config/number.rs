//! Numbers as Java reads and prints them.
//!
//! Source: `String.trim`, `Long.parseLong`, `Double.parseDouble` and `Double.toString` of
//! Java 17, which a broker's configs go through.

/// Without the characters up to the space, at both ends.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}

/// The digit zero of each script whose digits lie in the Basic Multilingual Plane; the other nine
/// follow it. Java reads UTF-16 unit by unit, and so knows no others. Unicode 13.
const ZEROS: [u32; 37] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66,
    0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
    0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
];

fn digit(c: char) -> Option<i64> {
    let code = u32::from(c);
    let zero = ZEROS.iter().find(|&&zero| (zero..zero + 10).contains(&code))?;
    Some(i64::from(code - zero))
}

/// A whole number of 64 bits: one sign at most, then digits of any script, and no more.
pub(super) fn parse_whole(text: &str) -> Option<i64> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0_i64, |number, c| {
        let digit = digit(c)?;
        let tenfold = number.checked_mul(10)?;
        if is_negative { tenfold.checked_sub(digit) } else { tenfold.checked_add(digit) }
    })
}

/// A floating-point number: decimal or hexadecimal, with Java's suffixes; `NaN` and `Infinity`.
pub(super) fn parse_double(text: &str) -> Option<f64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let number = match rest {
        "NaN" => f64::NAN,
        "Infinity" => f64::INFINITY,
        _ => {
            let bare = rest.strip_suffix(['d', 'D', 'f', 'F']);
            match rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
                Some(hex) => parse_hex(hex.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(hex))?,
                None => parse_decimal(bare.unwrap_or(rest))?,
            }
        }
    };
    Some(sign * number)
}

fn parse_decimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = !(whole.is_empty() && fraction.is_empty())
        && all_digits(whole)
        && all_digits(fraction)
        && exponent.is_none_or(is_exponent);
    if is_number { text.parse().ok() } else { None }
}

fn is_exponent(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// `1.8p-1`, the `0x` in front taken off. The digits past the sixteenth do not count.
fn parse_hex(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !is_exponent(exponent) || whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut number = 0_u64;
    let mut scale = 0_i32;
    for (at, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(c.to_digit(16)?);
        let is_fraction = at >= whole.len();
        if number >> 60 == 0 {
            number = number << 4 | digit;
            scale -= if is_fraction { 4 } else { 0 };
        } else if !is_fraction {
            scale += 4;
        }
    }
    // Past these, every number is infinite or 0.
    let exponent = exponent.parse::<i64>().unwrap_or(i64::MAX).clamp(-5_000, 5_000);
    Some(number as f64 * 2_f64.powi(scale.saturating_add(exponent as i32)))
}

/// `Double.toString`: `0.5`, `1.0E-4`, `NaN`.
pub(super) fn double_to_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if number == 0.0 || (1e-3..1e7).contains(&number.abs()) {
        return format!("{number:?}");
    }
    let text = format!("{number:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    format!("{mantissa}{point}E{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_to_their_last_bit() {
        assert_eq!(parse_whole("-9223372036854775808"), Some(i64::MIN));
        assert_eq!(parse_whole("9223372036854775807"), Some(i64::MAX));
        assert_eq!(parse_whole("9223372036854775808"), None);
        assert_eq!(parse_whole("+007"), Some(7));
        assert_eq!(parse_whole("\u{ff11}\u{663}"), Some(13));
        for bad in ["", "-", "+-1", "1 2", "0x10", "1_000", "\u{1d7ce}"] {
            assert_eq!(parse_whole(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn doubles_are_read_as_java_reads_them() {
        for (text, number) in
            [(".5", 0.5), ("5.", 5.0), ("5e-1", 0.5), ("1f", 1.0), ("0x1p-1", 0.5)]
        {
            assert_eq!(parse_double(text), Some(number), "{text}");
        }
        assert_eq!(parse_double("-0x.8P0d"), Some(-0.5));
        assert!(parse_double("NaN").is_some_and(f64::is_nan));
        for bad in ["", ".", "nan", "inf", "infinity", "1e", "0x1", "0x1p", "1 2", "dd", "50%"] {
            assert_eq!(parse_double(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn doubles_are_printed_as_java_prints_them() {
        let printed = [0.0, -0.0, 0.001, 0.000_99, 1e7, 12_345_678.0, 0.1].map(double_to_text);
        assert_eq!(printed, ["0.0", "-0.0", "0.001", "9.9E-4", "1.0E7", "1.2345678E7", "0.1"]);
    }
}
