//! Kafka's error table, row by row: `errors/errors.json`.

use loglanes::ErrorCode;
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::recorded::{Tally, file_text, number, text};

#[wasm_bindgen_test(unsupported = test)]
fn every_row_of_kafkas_error_table_is_ours() {
    let Some(table) = file_text("errors/errors.json") else { return };
    let rows: Vec<Value> = serde_json::from_str(&table).unwrap();
    let mut tally = Tally::default();
    for row in &rows {
        if row["code"] == 0 {
            tally.skip("no error, so it has no row");
            continue;
        }
        let ours = ErrorCode::from_code(number(&row["code"])).map(|code| {
            (code.name(), code.exception(), code.message().to_owned(), code.is_retriable())
        });
        let class = text(&row["exception"]);
        let exception = class.strip_prefix("org.apache.kafka.common.errors.").unwrap_or(class);
        let (name, message) = (text(&row["name"]), text(&row["message"]).to_owned());
        let recorded = (name, exception, message, row["retriable"] == true);
        tally.compare(&row["code"], ours, Some(recorded));
    }
    tally.finish("errors/errors.json", rows.len());
}
