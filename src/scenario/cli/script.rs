//! The script as it grows, and what stands around it.

use std::collections::BTreeSet;

use super::NotCarried;
use crate::interchange::bundle::shell::{KCAT, SOUND, TOOL, comment};

/// A function of the script, which stands there where it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    Differs,
    Refused,
    Commit,
    DeleteRecords,
    Ends,
    Holds,
    Offset,
    Records,
    Partitions,
    Settled,
    Config,
    Committed,
    Lag,
    Shown,
}

impl Helper {
    const ALL: [Self; 14] = [
        Self::Differs,
        Self::Refused,
        Self::Commit,
        Self::DeleteRecords,
        Self::Ends,
        Self::Holds,
        Self::Offset,
        Self::Records,
        Self::Partitions,
        Self::Settled,
        Self::Config,
        Self::Committed,
        Self::Lag,
        Self::Shown,
    ];

    const fn text(self) -> &'static str {
        match self {
            Self::Differs => {
                r#"
failed=0
# differs TEXT: the script goes on, and fails at its end.
differs() {
  printf '%s\n' "$1" >&2
  failed=1
}
"#
            }
            Self::Refused => {
                r#"
# refused LINE ERROR WORDS COMMAND...: Kafka has to refuse it, in one of these words, one a line.
refused() {
  line=$1 error=$2 words=$3
  shift 3
  if sound "$@" >/dev/null; then
    differs "line $line: this should have been refused with $error: $*"
  elif grep -qF -e "$words" "$work/said"; then
    echo "line $line: refused, as it should be: $error"
  else
    differs "line $line: this was refused, but not with $error:"
    cat "$work/said" >&2
  fi
}
"#
            }
            Self::Commit => {
                r#"
# commit GROUP: the next offsets to read, as topic,partition,offset. Its members must have left.
commit() {
  cat >"$work/offsets.csv"
  sound tool kafka-consumer-groups --group "$1" --reset-offsets --from-file "$work/offsets.csv" --execute
}
"#
            }
            Self::DeleteRecords => {
                r#"
# delete_records: those before the offsets, as Kafka's tool reads them.
delete_records() {
  cat >"$work/offsets.json"
  sound tool kafka-delete-records --offset-json-file "$work/offsets.json"
}
"#
            }
            Self::Ends => {
                r#"
# ends PATTERN: log end offsets. A record that a broker refuses is only logged by the tools.
ends() {
  sort >"$work/wanted"
  tool kafka-get-offsets --topic-partitions "$1" --time latest | sort >"$work/ends"
  cmp -s "$work/wanted" "$work/ends" || {
    differs "the log end offsets of $1 differ, as topic:partition:offset:"
    diff "$work/wanted" "$work/ends" >&2 || true
  }
}
"#
            }
            Self::Holds => {
                r#"
# holds LINE EXPECTATION SIGN WANTED FOUND
holds() {
  case $3 in
    =) [ "$5" != "$4" ] || return 0 ;;
    !=) [ "$5" = "$4" ] || return 0 ;;
    *) if [ "$5" != none ] && [ "$5" "$3" "$4" ]; then return 0; fi ;;
  esac
  differs "line $1 does not hold: $2; there is: $5"
}
"#
            }
            Self::Offset => {
                r#"
# offset earliest|latest PATTERN:PARTITION
offset() {
  tool kafka-get-offsets --topic-partitions "$2" --time "$1" | sed 's/.*://'
}
"#
            }
            Self::Records => {
                r#"
# records PATTERN[:PARTITION]: how many, where there are no gaps.
records() {
  end=$(tool kafka-get-offsets --topic-partitions "$1" --time latest | awk -F: '{ n += $NF } END { print n + 0 }')
  start=$(tool kafka-get-offsets --topic-partitions "$1" --time earliest | awk -F: '{ n += $NF } END { print n + 0 }')
  echo $((end - start))
}
"#
            }
            Self::Partitions => {
                r#"
# partitions PATTERN
partitions() {
  tool kafka-topics --describe --topic "$1" 2>/dev/null |
    sed -n 's/.*PartitionCount: *\([0-9]*\).*/\1/p'
}
"#
            }
            Self::Settled => {
                r#"
# settled PATTERN COUNT: waits until the brokers know of all partitions of a topic.
settled() {
  tries=0
  until [ "$(partitions "$1")" = "$2" ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 30 ]; then
      echo "$1 should have $2 partitions by now" >&2
      exit 1
    fi
    sleep 1
  done
}
"#
            }
            Self::Config => {
                r#"
# config TOPIC PATTERN
config() {
  tool kafka-configs --describe --all --entity-type topics --entity-name "$1" |
    sed -n "s/^  $2=\(.*\) sensitive=.*/\1/p"
}
"#
            }
            Self::Committed => {
                r#"
# committed GROUP TOPIC PARTITION. A group's name may have blanks: columns are counted from the end.
committed() {
  tool kafka-consumer-groups --group "$1" --describe --offsets 2>/dev/null |
    awk -v topic="$2" -v partition="$3" 'NF > 7 && $(NF-7) == topic && $(NF-6) == partition { found = $(NF-5) }
      END { print found == "" || found == "-" ? "none" : found }'
}
"#
            }
            Self::Lag => {
                r#"
# lag GROUP TOPIC [PARTITION]: the sum over the partitions with a commit.
lag() {
  tool kafka-consumer-groups --group "$1" --describe --offsets 2>/dev/null |
    awk -v topic="$2" -v partition="${3:-}" 'NF > 7 && $(NF-7) == topic && $(NF-3) ~ /^-?[0-9]+$/ &&
      (partition == "" || $(NF-6) == partition) { sum += $(NF-3); n++ }
      END { print n ? sum : "none" }'
}
"#
            }
            Self::Shown => {
                r#"
# shown TOPIC PARTITION OFFSET COUNT PROPERTY...: records as the tool prints them, and a dot behind.
shown() {
  topic=$1 partition=$2 from=$3 count=$4
  shift 4
  if [ "$count" -gt 0 ]; then
    tool kafka-console-consumer --topic "$topic" --partition "$partition" --offset "$from" \
      --max-messages "$count" --timeout-ms 20000 "$@" 2>/dev/null | sed '1{/^Option --[a-z-]* is deprecated/d;}'
  fi
  echo .
}
"#
            }
        }
    }

    /// The other functions that it calls.
    const fn needs(self) -> &'static [Self] {
        match self {
            Self::Refused | Self::Ends | Self::Holds => &[Self::Differs],
            Self::Settled => &[Self::Partitions],
            _ => &[],
        }
    }
}

/// The longest text of an act in a comment, in characters.
const MAX_ACT: usize = 200;

/// So many lines are named for one reason in the summary; the others are counted.
const MAX_LINES_NAMED: usize = 12;

/// The script below its head.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) body: String,
    helpers: BTreeSet<Helper>,
    pub(super) needs_kcat: bool,
    pub(super) not_carried: Vec<NotCarried>,
}

impl Script {
    /// A text for the reader.
    pub(super) fn remark(&mut self, text: &str) {
        self.body.push_str(format!("# {}", comment(text)).trim_end());
        self.body.push('\n');
    }

    /// An act or an expectation, as its line has it.
    pub(super) fn line(&mut self, line: u32, text: &str) {
        self.remark(&format!("[{line}] {}", brief(text)));
    }

    /// More about the line above.
    pub(super) fn more(&mut self, text: &str) {
        self.remark(&format!("  {text}"));
    }

    /// Something that a line has and the script has not.
    pub(super) fn lose(&mut self, line: u32, text: &str, why: &str) {
        self.more(&format!("Not carried over. {why}"));
        self.not_carried.push(NotCarried { line, text: brief(text), why: why.to_owned() });
    }

    /// Shell as it is.
    pub(super) fn push(&mut self, text: &str) {
        self.body.push_str(text);
    }

    /// A function that what follows calls.
    pub(super) fn needs(&mut self, helper: Helper) {
        self.helpers.insert(helper);
        self.helpers.extend(helper.needs());
    }

    /// All of it.
    pub(super) fn finish(&self, title: Option<&str>) -> String {
        let mut out = format!("#!/bin/sh\n# {}\n#\n", comment(title.unwrap_or("A scenario")));
        out.push_str(HEAD);
        out.push_str(&self.summary());
        out.push_str("set -eu\ncd \"$(dirname \"$0\")\"\n");
        out.push_str(TOOL);
        out.push_str(SOUND);
        let used = Helper::ALL.iter().filter(|helper| self.helpers.contains(helper));
        used.for_each(|helper| out.push_str(helper.text()));
        if self.needs_kcat {
            out.push_str(KCAT);
        }
        out.push('\n');
        out.push_str(&self.body);
        if self.helpers.contains(&Helper::Differs) {
            out.push_str("\n[ \"$failed\" -eq 0 ] || exit 1\n");
        }
        out.push_str("\necho done\n");
        out
    }

    /// What is not carried over, each reason once.
    fn summary(&self) -> String {
        if self.not_carried.is_empty() {
            return "# Every line is carried over.\n".to_owned();
        }
        let mut reasons: Vec<(&str, &str, Vec<u32>)> = Vec::new();
        for one in &self.not_carried {
            let verb = one.text.split(' ').next().unwrap_or_default();
            match reasons.iter_mut().find(|(known, why, _)| *known == verb && *why == one.why) {
                Some((_, _, lines)) => lines.push(one.line),
                None => reasons.push((verb, &one.why, vec![one.line])),
            }
        }
        let mut out = String::from("# Not carried over, by the numbers of the scenario's lines:\n");
        for (verb, why, lines) in reasons {
            let named: Vec<String> =
                lines.iter().take(MAX_LINES_NAMED).map(u32::to_string).collect();
            let rest = match lines.len().saturating_sub(MAX_LINES_NAMED) {
                0 => String::new(),
                rest => format!(" and {rest} more"),
            };
            out.push_str(&comment(&format!("# [{}{rest}] {verb}: {why}", named.join(", "))));
            out.push('\n');
        }
        out
    }
}

fn brief(text: &str) -> String {
    match text.char_indices().nth(MAX_ACT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// What every script says of itself.
const HEAD: &str = "\
# A scenario as commands of Kafka's own tools, for a real cluster:
#
#   BOOTSTRAP=broker:9092 KAFKA_BIN=/opt/kafka/bin sh run.sh
#
# KAFKA_BIN: where the tools are, if not on the PATH. REPLICATION_FACTOR: other than the topics have
# here. Topics of the same names must not be there yet, and groups must have no members. Each act
# stands as a comment with the number of its line, and below it what does it there.
#
# What comes out the same: topics, partitions, configs; keys, values, headers, the partition of each
# record and the order within it; offsets, but for those that are told below; committed offsets.
# What no tool carries: timestamps, and which records share a batch.
#
";
