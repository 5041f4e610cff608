//! Saved states, and files to import.

use loglanes::Session;
use loglanes::interchange::segment::DumpReader;
use loglanes::interchange::{FileFormat, Found, inspect};
use loglanes::snapshot::{Export, FileReader, Restorer, seal};

use crate::fuzz;

#[test]
fn saved_states() {
    fuzz("state", |input| {
        let mut reader = FileReader::default();
        let fed = input.chunks(1_000).try_for_each(|piece| reader.feed(piece));
        if let Ok(session) = fed.and_then(|()| reader.finish()) {
            assert_eq!(through_a_file(&session).cluster(), session.cluster());
        }
    });
}

fn through_a_file(session: &Session) -> Session {
    let (mut export, mut reader) = (Export::default(), FileReader::default());
    while let Some(part) = export.next_part(session).expect("a state can be saved") {
        reader.feed(&part).expect("a saved part can be read");
    }
    reader.finish().expect("a saved state can be read")
}

#[test]
fn manifests() {
    fuzz("manifest", |input| {
        let mut restorer = Restorer::default();
        if restorer.add("manifest", &seal("manifest", input)).is_ok() {
            let _session_or_not = restorer.finish();
        }
    });
}

#[test]
fn files_in_pieces_of_any_size() {
    fuzz("files", |input| {
        let seen = inspect(input);
        let comma = FileFormat::Csv { separator: ',', header: true };
        let formats = [
            Some(FileFormat::Ndjson),
            Some(FileFormat::Lossless),
            Some(FileFormat::KcatJson),
            Some(comma),
            seen.format,
        ];
        for format in formats.iter().flatten() {
            let whole = decoded(format, input, usize::MAX >> 1);
            assert_eq!(decoded(format, input, 7), whole, "{format:?}");
        }
        let mut dump = DumpReader::new();
        input.chunks(7).for_each(|piece| dump.feed(piece, &mut |_| ()));
        dump.finish(&mut |_| ());
    });
}

fn decoded(format: &FileFormat, input: &[u8], piece: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut each = |one: Found<'_>| found.push(format!("{one:?}"));
    let mut decoder = format.decoder().expect("the options can be used");
    input.chunks(piece).for_each(|piece| decoder.feed(piece, &mut each));
    decoder.finish_all(&mut each);
    found
}
