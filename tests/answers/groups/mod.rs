//! Groups: who is dealt what, what members live through, how groups are described and reset.

mod assignors;
#[cfg(not(target_arch = "wasm32"))]
mod describe;
#[cfg(not(target_arch = "wasm32"))]
mod live;
#[cfg(not(target_arch = "wasm32"))]
mod resets;
