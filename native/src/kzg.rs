//! KZG commitments of blobs (EIP-4844) and of their cells (EIP-7594), on other threads. The trusted setup is embedded in
//! c-kzg and loaded by the first use.

use std::panic::{AssertUnwindSafe, catch_unwind};

use c_kzg::{
    BYTES_PER_BLOB, BYTES_PER_COMMITMENT, Blob, Bytes48, CELLS_PER_EXT_BLOB, Cell, KzgSettings, ethereum_kzg_settings,
};
use napi::{Env, Error, Result, Status, Task, bindgen_prelude::Uint8Array};

use crate::panic_if_asked;

/// Without tables. According to c-kzg they halve the time of cell proofs, which are computed rarely, and cost 96 MiB.
const PRECOMPUTE: u64 = 0;

type Outcome<Value> = std::result::Result<Value, c_kzg::Error>;

pub struct VerifyBlobs {
    blobs: Vec<Blob>,
    commitments: Vec<Bytes48>,
    proofs: Vec<Bytes48>,
}

impl VerifyBlobs {
    /// Bytes after the last complete item are ignored; the caller checks lengths.
    pub fn new(blobs: &[u8], commitments: &[u8], proofs: &[u8]) -> Self {
        Self { blobs: blobs_of(blobs), commitments: points_of(commitments), proofs: points_of(proofs) }
    }

    /// Points outside of the curve and field elements out of range are errors of the library.
    fn verify(&self) -> Outcome<bool> {
        panic_if_asked();
        let settings = settings();
        if self.proofs.len() == self.blobs.len() {
            return settings.verify_blob_kzg_proof_batch(&self.blobs, &self.commitments, &self.proofs);
        }
        let mut cells: Vec<Cell> = Vec::with_capacity(self.blobs.len() * CELLS_PER_EXT_BLOB);
        for blob in &self.blobs {
            cells.extend_from_slice(settings.compute_cells(blob)?.as_slice());
        }
        let commitments: Vec<Bytes48> =
            self.commitments.iter().flat_map(|each| std::iter::repeat_n(*each, CELLS_PER_EXT_BLOB)).collect();
        let indices: Vec<u64> = (0..self.blobs.len()).flat_map(|_| 0..CELLS_PER_EXT_BLOB as u64).collect();
        settings.verify_cell_kzg_proof_batch(&commitments, &indices, &cells, &self.proofs)
    }
}

impl Task for VerifyBlobs {
    type Output = bool;
    type JsValue = bool;

    fn compute(&mut self) -> Result<bool> {
        Ok(caught(|| self.verify())?.unwrap_or(false))
    }

    fn resolve(&mut self, _: Env, verdict: bool) -> Result<bool> {
        Ok(verdict)
    }
}

pub struct ComputeProofs {
    blobs: Vec<Blob>,
}

impl ComputeProofs {
    pub fn new(blobs: &[u8]) -> Self {
        Self { blobs: blobs_of(blobs) }
    }

    fn proofs(&self) -> Outcome<Vec<u8>> {
        panic_if_asked();
        let settings = settings();
        let mut answer = Vec::with_capacity(self.blobs.len() * (CELLS_PER_EXT_BLOB + 2) * BYTES_PER_COMMITMENT);
        for blob in &self.blobs {
            let commitment = settings.blob_to_kzg_commitment(blob)?.to_bytes();
            answer.extend_from_slice(commitment.as_slice());
            answer.extend_from_slice(settings.compute_blob_kzg_proof(blob, &commitment)?.to_bytes().as_slice());
            for proof in settings.compute_cells_and_kzg_proofs(blob)?.1.iter() {
                answer.extend_from_slice(proof.to_bytes().as_slice());
            }
        }
        Ok(answer)
    }
}

impl Task for ComputeProofs {
    type Output = Vec<u8>;
    type JsValue = Uint8Array;

    fn compute(&mut self) -> Result<Vec<u8>> {
        caught(|| self.proofs())?
            .map_err(|_| Error::new(Status::InvalidArg, "A field element of a blob is out of range."))
    }

    fn resolve(&mut self, _: Env, proofs: Vec<u8>) -> Result<Uint8Array> {
        Ok(proofs.into())
    }
}

fn settings() -> &'static KzgSettings {
    ethereum_kzg_settings(PRECOMPUTE)
}

/// No #[napi] function encloses a task, so it catches panics itself.
fn caught<Value>(work: impl FnOnce() -> Value) -> Result<Value> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Error::new(Status::GenericFailure, "the work on blobs panicked"))
}

fn blobs_of(bytes: &[u8]) -> Vec<Blob> {
    bytes.chunks_exact(BYTES_PER_BLOB).filter_map(|chunk| Blob::from_bytes(chunk).ok()).collect()
}

fn points_of(bytes: &[u8]) -> Vec<Bytes48> {
    bytes.chunks_exact(BYTES_PER_COMMITMENT).filter_map(|chunk| Bytes48::from_bytes(chunk).ok()).collect()
}
