//! The memory of the process, which the C library divides among all threads, including Node's. `unsafe`, because a C
//! function is declared here.
#![allow(unsafe_code)]

use napi::{Env, Result, Task};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod system {
    unsafe extern "C" {
        safe fn malloc_trim(pad: usize) -> std::ffi::c_int;
    }

    /// Freed memory stays with the process, in pieces between those in use, until this is called.
    pub fn give_back() {
        malloc_trim(0);
    }
}

/// Other systems return memory by themselves, or not at all.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod system {
    pub fn give_back() {}
}

/// Runs on another thread, because it takes some milliseconds.
pub struct GiveBack;

impl Task for GiveBack {
    type Output = ();
    type JsValue = ();

    fn compute(&mut self) -> Result<()> {
        system::give_back();
        Ok(())
    }

    fn resolve(&mut self, _env: Env, (): ()) -> Result<()> {
        Ok(())
    }
}
