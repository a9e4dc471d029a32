//! The memory of the whole process, which the C library divides among all of its threads, Node's included.
//! `unsafe`, because a function of C is declared here.
#![allow(unsafe_code)]

use napi::{Env, Result, Task};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod system {
    unsafe extern "C" {
        safe fn malloc_trim(pad: usize) -> std::ffi::c_int;
    }

    /// What was freed stays with the process, in pieces between those in use, until somebody says this.
    pub fn give_back() {
        malloc_trim(0);
    }
}

/// Other systems give memory back by themselves, or not at all.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod system {
    pub fn give_back() {}
}

/// Beside the thread that asks, since it takes some milliseconds.
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
