//! The crate in a browser: what cannot be seen natively. All rules are tested natively.
//!
//! The tests of the boundary are JavaScript, as its users are: see `tests/web/boundary.js`. They
//! call through the glue that wasm-bindgen makes, which converts and could bend what it is given.
//!
//! A good share of Kafka's recorded answers is compared in a browser as well: by `tests/golden.rs`,
//! which is built for one too.
#![cfg(target_arch = "wasm32")]

use include_dir::{Dir, include_dir};
use loglanes::ErrorCode;
use loglanes::scenario::{Player, Scenario, check};
use loglanes::wasm::{Loglanes, Restorer, ScenarioPlayer, scenario_commands};
use wasm_bindgen::prelude::*;
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

/// The same tests by name, in Rust: each is given a new cluster, and a restorer if it needs one.
mod boundary {
    use super::*;

    #[wasm_bindgen(module = "/tests/web/boundary.js")]
    extern "C" {
        #[wasm_bindgen(catch)]
        pub fn errors_have_a_name_a_code_a_hint_and_say_who_refused(
            log: JsValue,
        ) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn what_is_no_command_is_refused_in_a_sentence(log: JsValue) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn numbers_that_are_not_whole_are_refused_not_cut(log: JsValue) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn a_huge_count_is_refused_at_once(log: JsValue) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn offsets_past_two_to_the_53_are_exact(log: JsValue) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn none_empty_and_the_text_null_stay_three_things_both_ways(
            log: JsValue,
        ) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn bytes_that_are_not_utf8_come_back_as_they_are(log: JsValue) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn a_marker_is_listed_and_each_record_says_what_became_of_it(
            log: JsValue,
        ) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn a_tool_s_text_comes_with_its_command(log: JsValue) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn text_is_no_bytes(log: JsValue) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn many_records_go_in_by_one_call(log: JsValue) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn a_file_comes_in_by_odd_pieces(log: JsValue) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn what_changes_gives_a_restorer_takes(
            log: JsValue,
            restorer: JsValue,
        ) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn what_is_damaged_is_not_loaded(
            log: JsValue,
            restorer: JsValue,
        ) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn an_exported_file_comes_back_whole(
            log: JsValue,
            restorer: JsValue,
        ) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn a_lane_has_one_number_for_each_pixel(log: JsValue) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn the_view_has_the_shape_that_its_types_say(log: JsValue) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn a_strange_clock_does_no_harm(log: JsValue) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn a_scenario_is_loaded_stepped_checked_and_comes_back_as_text(
            log: JsValue,
        ) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn a_scenario_that_cannot_be_read_changes_nothing(log: JsValue) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn a_player_goes_act_by_act_and_leaves_its_cluster(
            log: JsValue,
            player: JsValue,
        ) -> Result<(), JsValue>;
        #[wasm_bindgen(catch)]
        pub fn a_scenario_is_a_script_a_zip_and_what_is_lost(
            log: JsValue,
            commands: JsValue,
        ) -> Result<(), JsValue>;
    }
}

macro_rules! boundary {
    ($($name:ident $(with $restorer:expr)?;)*) => {$(
        #[wasm_bindgen_test]
        fn $name() -> Result<(), JsValue> {
            boundary::$name(Loglanes::new(7).into() $(, $restorer.into())?)
        }
    )*};
}

boundary! {
    errors_have_a_name_a_code_a_hint_and_say_who_refused;
    what_is_no_command_is_refused_in_a_sentence;
    numbers_that_are_not_whole_are_refused_not_cut;
    a_huge_count_is_refused_at_once;
    offsets_past_two_to_the_53_are_exact;
    none_empty_and_the_text_null_stay_three_things_both_ways;
    bytes_that_are_not_utf8_come_back_as_they_are;
    a_marker_is_listed_and_each_record_says_what_became_of_it;
    a_tool_s_text_comes_with_its_command;
    text_is_no_bytes;
    many_records_go_in_by_one_call;
    a_file_comes_in_by_odd_pieces;
    a_lane_has_one_number_for_each_pixel;
    the_view_has_the_shape_that_its_types_say;
    a_strange_clock_does_no_harm;
    a_scenario_is_loaded_stepped_checked_and_comes_back_as_text;
    a_scenario_that_cannot_be_read_changes_nothing;
    a_player_goes_act_by_act_and_leaves_its_cluster with ScenarioPlayer::new(
        "note Hello.\ntopic t\nexpect partitions t = 1\npartitions t 0\n"
    )?;
    a_scenario_is_a_script_a_zip_and_what_is_lost with scenario_commands(
        "topic t\nproduce t value=\"v\"\nclock +1h\nsolution\ntopic u\n", Some(false)
    )?;
    what_changes_gives_a_restorer_takes with Restorer::new();
    what_is_damaged_is_not_loaded with Restorer::new();
    an_exported_file_comes_back_whole with Restorer::new();
}

static LESSONS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/www/lessons");

/// As `tests/scenarios.rs` says natively.
#[wasm_bindgen_test]
fn every_lesson_holds_and_its_task_is_done_by_its_solution_alone() {
    let mut lessons = 0;
    for file in LESSONS.find("**/*.lanes").unwrap().filter_map(|entry| entry.as_file()) {
        let what = file.path().display();
        let lesson = Scenario::parse(file.contents_utf8().unwrap())
            .unwrap_or_else(|problems| panic!("{what}: {}", problems[0]));
        let (mut player, first) = Player::new(&lesson);
        assert!(first.findings.iter().all(|finding| finding.met), "{what}");
        let report = player.finish();
        assert!(report.is_met(), "{what}: {report:?}");
        let checks = check(&lesson, player.session(), player.now_ms());
        assert!(checks.iter().any(|finding| !finding.met), "{what}: nothing is left to do");
        player.solve();
        let report = player.finish();
        assert!(report.is_met(), "{what}: {report:?}");
        for finding in check(&lesson, player.session(), player.now_ms()) {
            assert!(finding.met, "{what}: {}, but {}", finding.text, finding.found);
        }
        lessons += 1;
    }
    assert!(lessons >= 12);
}
