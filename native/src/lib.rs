//! The native engine of Cairn: revm behind the interface src/evm/engine.ts. It owns the execution of transactions and
//! the state of a session. It knows no database, chain or RPC: state comes through a function of the caller, and
//! results are bytes. src/evm/engine-native.ts is its only caller; docs/internals/wire/engine-native.md specifies the
//! interface.

mod decode;
mod evm;
mod frames;
mod host;
mod instructions;
mod kzg;
mod memory;
mod modexp;
mod operands;
mod outcome;
mod precompiles;
mod recover;
mod session;
mod state;
mod step_cost;
mod steps;
mod trace;

use std::{
    cell::Cell,
    sync::atomic::{AtomicBool, Ordering},
};

use napi::{
    Env, Error, Result, Status, Unknown,
    bindgen_prelude::{AsyncTask, Either, Uint8Array},
};
use napi_derive::napi;

use crate::{
    host::{Host, Stop},
    kzg::{ComputeProofs, VerifyBlobs},
    memory::GiveBack,
    recover::RecoverSenders,
    session::Session,
};

/// Raised with every change of the interface; src/evm/native/load-addon.ts requires the same value.
#[napi]
pub const INTERFACE_VERSION: u32 = 5;

static PANICS_NEXT: AtomicBool = AtomicBool::new(false);

#[napi]
pub struct NativeSession {
    /// Taken out during a call, so a session that threw, panicked or calls itself finds none.
    session: Cell<Option<Box<Session>>>,
}

#[napi]
impl NativeSession {
    #[napi(constructor, catch_unwind)]
    pub fn new(settings: &[u8]) -> Result<Self> {
        panic_if_asked();
        Ok(Self { session: Cell::new(Some(Box::new(Session::new(settings)?))) })
    }

    /// Runs an operation that may read state; its two arguments depend on it. If the answer fits, it is written to
    /// `scratch` and its length is returned, because memory that Node has to free costs more than a small call.
    #[allow(clippy::too_many_arguments)]
    #[napi(catch_unwind)]
    pub fn call(
        &self,
        env: Env,
        operation: u32,
        scratch: Unknown,
        lookup: Unknown,
        cancel: Unknown,
        first: &[u8],
        second: &[u8],
        events: Unknown,
        on_events: Unknown,
    ) -> Result<Either<u32, Uint8Array>> {
        let host = Host::new(&env, &scratch, &lookup, &cancel, (&events, &on_events))?;
        self.with(|session| {
            session.attach(Some(host));
            let result = session.call(operation, first, second);
            let host = session.state().host.as_mut();
            let length = result.as_ref().ok().zip(host).and_then(|(bytes, host)| host.give(bytes));
            session.attach(None);
            Ok(match length {
                Some(length) => Either::A(length),
                None => Either::B(result?.into()),
            })
        })
    }

    #[napi(catch_unwind)]
    pub fn checkpoint(&self) -> Result<u32> {
        self.with(|session| Ok(session.checkpoint() as u32))
    }

    #[napi(catch_unwind)]
    pub fn revert(&self, checkpoint: u32) -> Result<()> {
        self.with(|session| session.revert(checkpoint as usize))
    }

    #[napi(catch_unwind)]
    pub fn changes(&self) -> Result<Uint8Array> {
        self.with(|session| Ok(session.state().changes().into()))
    }

    #[napi(catch_unwind)]
    pub fn finish(&self) -> Result<Uint8Array> {
        let changes = self.changes();
        self.session.take();
        changes
    }

    fn with<Value>(&self, work: impl FnOnce(&mut Session) -> std::result::Result<Value, Stop>) -> Result<Value> {
        let over = || Error::new(Status::InvalidArg, "A session does nothing after it has finished or failed.");
        let mut session = self.session.take().ok_or_else(over)?;
        panic_if_asked();
        let value = work(&mut session)?;
        self.session.set(Some(session));
        Ok(value)
    }
}

/// For each digest, r, s and parity: 1 and the address of the signer, or zeros.
#[napi(catch_unwind)]
pub fn recover_senders(questions: &[u8]) -> AsyncTask<RecoverSenders> {
    AsyncTask::new(RecoverSenders { questions: questions.to_vec() })
}

/// The public key of 64 bytes that made a signature of 65 bytes; empty if the signature is impossible.
#[napi(catch_unwind)]
pub fn recover_key(digest: &[u8], signature: &[u8]) -> Uint8Array {
    panic_if_asked();
    recover::key(digest, signature).map_or_else(Vec::new, Vec::from).into()
}

/// The signature of 65 bytes over a digest; empty for an invalid key or digest.
#[napi(catch_unwind)]
pub fn sign_digest(key: &[u8], digest: &[u8]) -> Uint8Array {
    panic_if_asked();
    recover::sign(key, digest).map_or_else(Vec::new, Vec::from).into()
}

/// Whether each commitment and its proofs belong to its blob. `proofs` has one proof per blob, or one per cell.
#[napi(catch_unwind)]
pub fn verify_blobs(blobs: &[u8], commitments: &[u8], proofs: &[u8]) -> AsyncTask<VerifyBlobs> {
    AsyncTask::new(VerifyBlobs::new(blobs, commitments, proofs))
}

/// For each blob its commitment, its proof and its cell proofs; fails if a blob is not one.
#[napi(catch_unwind)]
pub fn compute_blob_proofs(blobs: &[u8]) -> AsyncTask<ComputeProofs> {
    AsyncTask::new(ComputeProofs::new(blobs))
}

/// Returns freed memory of the process to the system.
#[napi(catch_unwind)]
pub fn give_back_memory() -> AsyncTask<GiveBack> {
    AsyncTask::new(GiveBack)
}

/// For the test that a panic becomes an error: the next entry into this crate panics, on any thread.
#[napi(catch_unwind)]
pub fn panic_next_for_test() {
    PANICS_NEXT.store(true, Ordering::Relaxed);
}

/// Unwinds like a panic, without the message of the hook on standard error.
pub(crate) fn panic_if_asked() {
    if PANICS_NEXT.load(Ordering::Relaxed) && PANICS_NEXT.swap(false, Ordering::Relaxed) {
        std::panic::resume_unwind(Box::new("asked to panic"));
    }
}
