//! What scripts for a real cluster are made of: POSIX shell that bash reads as well.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::carry::Step;
use super::kcat::Kcat;

/// How every script finds the cluster and Kafka's tools.
pub(crate) const TOOL: &str = r#"BOOTSTRAP=${BOOTSTRAP:-localhost:9092}

# tool NAME ARGUMENT...: one of Kafka's own tools.
tool() {
  name=$1
  shift
  if [ "$name" = kafka-console-producer ]; then
    # It gives records up after 1.5 s and three tries; these are the defaults of Kafka's own producer.
    set -- --request-timeout-ms 30000 --message-send-max-retries 2147483647 "$@"
  fi
  for program in "${KAFKA_BIN:+$KAFKA_BIN/}$name.sh" "${KAFKA_BIN:+$KAFKA_BIN/}$name"; do
    if command -v "$program" >/dev/null 2>&1; then
      "$program" --bootstrap-server "$BOOTSTRAP" "$@"
      return
    fi
  done
  echo "$name is not on the PATH: set KAFKA_BIN to the folder of Kafka's tools" >&2
  exit 1
}
"#;

/// Where the tools say that something is wrong, and yet end well.
pub(crate) const SOUND: &str = r#"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# sound COMMAND...: some of Kafka's tools end well and only print that they have failed.
sound() {
  status=0
  "$@" >"$work/said" 2>&1 || status=$?
  cat "$work/said"
  if [ "$status" -eq 0 ] && grep -q '^Error: \|rror: org\.apache\.kafka' "$work/said"; then
    status=1
  fi
  return "$status"
}
"#;

/// Where a script needs kcat.
pub(crate) const KCAT: &str = "
# For records that the console producer cannot place or hold.
command -v kcat >/dev/null 2>&1 || { echo \"kcat is not on the PATH\" >&2; exit 1; }
";

/// The longest line of a script, where its words can be parted.
const MAX_WIDTH: usize = 100;

/// Settings of the Java client that kcat's library has not: what they limit is for the sender alone.
const NOT_IN_LIBRDKAFKA: [&str; 2] = ["buffer.memory", "max.request.size"];

/// Where a tool's data comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Data<'a> {
    /// A file beside the script.
    File(&'a str),
    /// It stands in the script. Only what [`is_line_text`] or what `printf` is given.
    Inline(&'a [u8]),
}

/// A word in single quotes, where the shell changes nothing; without them where it is plain. A
/// command line takes no NUL: see [`fits`].
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/=:,".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Whether a word can stand on a command line.
pub(crate) fn fits(text: &str) -> bool {
    !text.contains('\0')
}

/// The name of a topic where a tool takes a regular expression: of what a name may hold, only the
/// dot means something in one.
pub(crate) fn pattern(topic: &str) -> String {
    topic.replace('.', r"\.")
}

/// Text behind a `#`, on its line whatever is in it.
pub(crate) fn comment(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

/// Whether data can stand in a here-document as it is.
pub(crate) fn is_line_text(data: &[u8]) -> bool {
    let is_text = |text: &str| {
        !text.contains(|letter: char| letter.is_control() && letter != '\n' && letter != '\t')
            && text.lines().all(|line| line != END)
    };
    (data.is_empty() || data.ends_with(b"\n")) && std::str::from_utf8(data).is_ok_and(is_text)
}

/// The line that ends a here-document.
const END: &str = "END";

/// A here-document, in which the shell changes nothing.
pub(crate) fn here_document(data: &[u8], out: &mut String) {
    out.push_str(&String::from_utf8_lossy(data));
    out.push_str(END);
    out.push('\n');
}

/// The argument of `printf` that prints some bytes: what is no readable text in octal.
fn printf_format(data: &[u8]) -> String {
    let mut format = String::new();
    for chunk in data.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '%' => format.push_str("%%"),
                '\\' => format.push_str(r"\\"),
                '\n' => format.push_str(r"\n"),
                // At the beginning it would be an option.
                letter if letter.is_control() || (letter == '-' && format.is_empty()) => {
                    let mut buffer = [0; 4];
                    octal(letter.encode_utf8(&mut buffer).as_bytes(), &mut format);
                }
                letter => format.push(letter),
            }
        }
        octal(chunk.invalid(), &mut format);
    }
    format!("'{}'", format.replace('\'', r"'\''"))
}

fn octal(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        // Writing to a text does not fail.
        let _written = write!(out, "\\{byte:03o}");
    }
}

/// Words on one line, or on several where one is too long.
pub(crate) fn words(words: impl IntoIterator<Item = String>, out: &mut String) {
    let mut width = 0;
    for (number, word) in words.into_iter().enumerate() {
        let letters = word.chars().count();
        if number > 0 && width + letters >= MAX_WIDTH {
            out.push_str(" \\\n  ");
            width = 2;
        } else if number > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(&word);
        width += letters;
    }
}

/// A topic as `kafka-topics` makes it. The environment may say another replication factor. Configs
/// that the tool does not take apart are set once the topic is there.
pub(crate) fn create_topic(
    name: &str,
    partitions: i32,
    replication_factor: i16,
    configs: &[(String, String)],
    out: &mut String,
) {
    let how = [
        format!("--partitions {partitions}"),
        format!("--replication-factor \"${{REPLICATION_FACTOR:-{replication_factor}}}\""),
    ];
    create_topic_with(name, how, configs, out);
}

/// The same where partitions and replicas are said in some way.
pub(crate) fn create_topic_with(
    name: &str,
    how: impl IntoIterator<Item = String>,
    configs: &[(String, String)],
    out: &mut String,
) {
    let mut how = how.into_iter();
    let first = how.next().unwrap_or_default();
    let mut call = vec![format!("tool kafka-topics --create --topic {} {first}", quoted(name))];
    call.extend(how);
    let (taken, later): (Vec<_>, Vec<_>) =
        configs.iter().partition(|(_, value)| is_taken_by_topics(value));
    call.extend(taken.iter().map(|(name, value)| config(name, value)));
    words(call, out);
    out.push('\n');
    if !later.is_empty() {
        let values = later.into_iter().map(|(name, value)| (name.clone(), Some(value.clone())));
        let call = alter_configs(name, &values.collect(), out);
        words(call, out);
        out.push('\n');
    }
}

/// A config as `kafka-topics` takes it.
pub(crate) fn config(name: &str, value: &str) -> String {
    format!("--config {}", quoted(&format!("{name}={value}")))
}

/// Whether `kafka-topics` reads a config's value as it is: it parts the two at every `=`, with the
/// blanks around it.
pub(crate) fn is_taken_by_topics(value: &str) -> bool {
    !value.is_empty() && !value.contains('=') && value.trim() == value
}

/// A call that sets configs, or deletes those without a value. What a command line does not carry
/// goes by a file, which `before` writes.
pub(crate) fn alter_configs(
    topic: &str,
    values: &BTreeMap<String, Option<String>>,
    before: &mut String,
) -> Vec<String> {
    let mut call = vec![format!(
        "tool kafka-configs --alter --entity-type topics --entity-name {}",
        quoted(topic)
    )];
    let added: Vec<(&String, &String)> =
        values.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))).collect();
    let deleted: Vec<&str> = values
        .iter()
        .filter_map(|(name, value)| value.is_none().then_some(name.as_str()))
        .collect();
    let is_plain = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-:*/,".contains(&byte))
    };
    if added.iter().all(|(name, value)| is_plain(name) && is_plain(value)) {
        let pairs = added.iter().map(|(name, value)| match value.contains(',') {
            true => format!("{name}=[{value}]"),
            false => format!("{name}={value}"),
        });
        let pairs: Vec<String> = pairs.collect();
        if !pairs.is_empty() {
            call.push(format!("--add-config {}", quoted(&pairs.join(","))));
        }
    } else {
        before.push_str("cat >\"$work/configs.properties\" <<'END'\n");
        let lines =
            added.iter().map(|(name, value)| format!("{}={}\n", property(name), property(value)));
        here_document(lines.collect::<String>().as_bytes(), before);
        call.push("--add-config-file \"$work/configs.properties\"".to_owned());
    }
    if !deleted.is_empty() {
        call.push(format!("--delete-config {}", quoted(&deleted.join(","))));
    }
    call
}

/// A piece of a Java properties file: everything that could mean something there in hex.
fn property(text: &str) -> String {
    let mut out = String::new();
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() || b"._-,[]".contains(&byte) => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("\\u{unit:04x}")),
        }
    }
    out
}

/// A producer's settings: their names, as the Java client has them, and values.
pub(crate) type Settings = [(String, String)];

/// A call of a tool that sends records, with settings of its producer.
pub(crate) fn send(topic: &str, step: &Step, more: &Settings, data: Data<'_>, out: &mut String) {
    match step {
        Step::Console(console) => {
            let mut call = vec![format!("tool kafka-console-producer --topic {}", quoted(topic))];
            if console.one_by_one {
                call.push("--max-partition-memory-bytes 1".to_owned());
            }
            call.extend(more.iter().map(|(name, value)| match name.as_str() {
                // Its own option has the last word.
                "compression.type" => format!("--compression-codec {}", quoted(value)),
                _ => format!("--producer-property {}", quoted(&format!("{name}={value}"))),
            }));
            let property = |property: &String| format!("--property {}", quoted(property));
            call.extend(console.properties().iter().map(property));
            match data {
                Data::File(path) => {
                    call.push(format!("<{}", quoted(path)));
                    words(call, out);
                    out.push('\n');
                }
                Data::Inline(data) => {
                    call.push(format!("<<'{END}'"));
                    words(call, out);
                    out.push('\n');
                    here_document(data, out);
                }
            }
        }
        Step::Kcat(kcat) => {
            let mut call = Vec::new();
            if let Data::Inline(data) = data {
                call.push(format!("printf {} |", printf_format(data)));
            }
            call.extend(kcat_words(topic, kcat, &kcat.partition.to_string(), more));
            if let Data::File(path) = data {
                call.push(format!("<{}", quoted(path)));
            }
            words(call, out);
            out.push('\n');
        }
    }
}

/// A call of kcat for each file of a folder, which is named after its partition; some at a time, for
/// each waits for the broker most of its time.
pub(crate) fn send_folder(
    topic: &str,
    kcat: &Kcat,
    more: &Settings,
    folder: &str,
    out: &mut String,
) {
    let mut call = kcat_words(topic, kcat, r#""$(basename "$1" .txt)""#, more);
    call.push(r#"<"$1""#.to_owned());
    out.push_str(&format!(
        "export BOOTSTRAP\nfind {} -name '*.txt' | xargs -P {AT_A_TIME} -I FILE sh -c \\\n  {} sh FILE\n",
        quoted(folder),
        quoted(&call.join(" ")),
    ));
}

/// So many calls of kcat run at a time.
const AT_A_TIME: usize = 8;

fn kcat_words(topic: &str, kcat: &Kcat, partition: &str, more: &Settings) -> Vec<String> {
    let empty = if kcat.empty_is_none { " -Z" } else { "" };
    let topic = quoted(topic);
    let mut call = vec![format!("kcat -P -b \"$BOOTSTRAP\" -t {topic} -p {partition}{empty}")];
    if kcat.one_by_one {
        call.push("-X batch.num.messages=1".to_owned());
    }
    let known = more.iter().filter(|(name, _)| !NOT_IN_LIBRDKAFKA.contains(&name.as_str()));
    call.extend(known.map(|(name, value)| format!("-X {}", quoted(&format!("{name}={value}")))));
    call.extend(kcat.headers.iter().map(|header| format!("-H {}", quoted(header))));
    if let Some(delimiter) = &kcat.key_delimiter {
        call.push(format!("-K {}", quoted(delimiter)));
    }
    call.push(format!("-D {}", quoted(&kcat.delimiter)));
    call
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_in_quotes_where_the_shell_might_read_something_into_it() {
        assert_eq!(quoted("orders-0.a_b"), "orders-0.a_b");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted("~"), "'~'");
    }

    #[test]
    fn bytes_that_are_no_text_are_printed_in_octal() {
        assert_eq!(printf_format(b"50%\\ \xff\0\n'"), r"'50%%\\ \377\000\n'\'''");
        assert_eq!(printf_format("é日-".as_bytes()), "'é日-'");
        assert_eq!(printf_format(b"-v"), r"'\055v'");
        // C1 control letters have two bytes.
        assert_eq!(printf_format("\u{85}".as_bytes()), r"'\302\205'");
    }

    #[test]
    fn a_comment_stays_on_its_line() {
        assert_eq!(comment("a\nrm -rf b\r\0"), "a\u{fffd}rm -rf b\u{fffd}\u{fffd}");
    }

    #[test]
    fn a_here_document_holds_whole_lines_without_its_own_end() {
        assert!(is_line_text(b"a\tb\n$HOME `x` '\\\n") && is_line_text(b""));
        for data in [&b"a"[..], b"END\n", b"a\nEND\n", b"\xff\n", b"a\0\n", b"a\rb\n"] {
            assert!(!is_line_text(data), "{data:?}");
        }
    }

    #[test]
    fn configs_go_by_a_file_where_the_command_line_would_part_them() {
        let alter = |pairs: &[(&str, Option<&str>)]| {
            let values = pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.map(str::to_owned)))
                .collect();
            let (mut before, mut out) = (String::new(), String::new());
            let call = alter_configs("orders", &values, &mut before);
            words(call, &mut out);
            (before, out)
        };
        let head = "tool kafka-configs --alter --entity-type topics --entity-name orders";
        let (before, call) =
            alter(&[("cleanup.policy", Some("compact,delete")), ("segment.ms", None)]);
        assert_eq!(before, "");
        assert_eq!(
            call,
            format!(
                "{head} \\\n  --add-config 'cleanup.policy=[compact,delete]' --delete-config segment.ms"
            )
        );
        let (before, call) = alter(&[("cleanup.policy", Some("")), ("a", Some("é=\\]\n"))]);
        assert_eq!(
            before,
            "cat >\"$work/configs.properties\" <<'END'\na=\\u00e9\\u003d\\u005c]\\u000a\ncleanup.policy=\nEND\n"
        );
        assert_eq!(call, format!("{head} \\\n  --add-config-file \"$work/configs.properties\""));
    }

    #[test]
    fn a_config_that_kafka_topics_does_not_take_apart_is_set_afterwards() {
        let mut out = String::new();
        let config = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let configs = [config("cleanup.policy", ""), config("segment.ms", "60000")];
        create_topic("orders", 2, 1, &configs, &mut out);
        assert_eq!(
            out,
            "tool kafka-topics --create --topic orders --partitions 2 \\\n  \
             --replication-factor \"${REPLICATION_FACTOR:-1}\" --config segment.ms=60000\n\
             cat >\"$work/configs.properties\" <<'END'\ncleanup.policy=\nEND\n\
             tool kafka-configs --alter --entity-type topics --entity-name orders \\\n  \
             --add-config-file \"$work/configs.properties\"\n"
        );
    }
}
