//! The crate in a browser: what cannot be seen natively. All rules are tested natively.
#![cfg(target_arch = "wasm32")]

use loglanes::ErrorCode;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn the_tests_run_in_a_window_of_a_browser() {
    assert!(web_sys::window().is_some());
}

#[wasm_bindgen_test]
fn kafkas_error_table_is_the_same_in_a_browser() {
    assert_eq!(ErrorCode::InvalidPartitions.code(), 37);
    assert_eq!(ErrorCode::InvalidPartitions.name(), "INVALID_PARTITIONS");
}
