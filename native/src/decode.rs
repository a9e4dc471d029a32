//! Decodes the output of src/evm/native/encode-*.ts. docs/internals/wire/engine-native.md is the specification.

use alloy_primitives::{Address, B256, Bytes, TxKind, U256};
use revm::{
    context::{
        BlockEnv, TxEnv,
        either::Either,
        transaction::{AccessList, AccessListItem, Authorization, RecoveredAuthority, RecoveredAuthorization},
    },
    primitives::{eip4844::GAS_PER_BLOB, hardfork::SpecId},
};

use crate::{host::Stop, recover};

/// By the code on the wire. Constantinople alone is missing, because revm does not know it.
const SPECS: &[SpecId] = &[
    SpecId::FRONTIER,
    SpecId::HOMESTEAD,
    SpecId::TANGERINE,
    SpecId::SPURIOUS_DRAGON,
    SpecId::BYZANTIUM,
    SpecId::PETERSBURG,
    SpecId::ISTANBUL,
    SpecId::BERLIN,
    SpecId::LONDON,
    SpecId::MERGE,
    SpecId::SHANGHAI,
    SpecId::CANCUN,
    SpecId::PRAGUE,
    SpecId::OSAKA,
];

/// Replaces a parity, which is a byte: no signature has this value.
const NAMED_AUTHORITY: u8 = 0xff;

pub struct Settings {
    pub spec: SpecId,
    pub chain_id: U256,
    pub max_code_bytes: usize,
    pub block: BlockEnv,
    pub base_fee: U256,
    pub blob_base_fee: U256,
    pub max_blob_gas: u64,
    pub gas_cap: u64,
    pub call_tree_max_bytes: Option<usize>,
    pub writes_changes: bool,
    pub is_brief: bool,
    pub waivers: u8,
    /// Old and new addresses.
    pub moved_precompiles: Vec<(Address, Address)>,
}

/// A transaction, with the values for which revm has no room.
pub struct Transaction {
    pub env: TxEnv,
    pub max_fee: U256,
    pub priority_fee: U256,
    pub max_blob_fee: U256,
}

impl Transaction {
    pub fn blob_gas(&self) -> u64 {
        self.env.blob_hashes.len() as u64 * GAS_PER_BLOB
    }

    /// The cost of all gas and blobs.
    pub fn cost(&self, price: U256, blob_price: U256) -> U256 {
        let blobs = U256::from(self.blob_gas()).saturating_mul(blob_price);
        U256::from(self.env.gas_limit).saturating_mul(price).saturating_add(blobs)
    }

    /// The funds that the sender must own: gas and blobs at the highest price it allows, and the value.
    pub fn upfront_cost(&self) -> U256 {
        self.cost(self.max_fee, self.max_blob_fee).saturating_add(self.env.value)
    }
}

pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub fn settings(&mut self) -> Result<Settings, Stop> {
        let spec = *SPECS.get(usize::from(self.u8()?)).ok_or_else(|| broken("a fork that the engine does not know"))?;
        let flags = self.u8()?;
        let waivers = self.u8()?;
        let call_tree_max_bytes = self.u32()? as usize;
        let gas_cap = self.u64()?;
        let chain_id = self.u256()?;
        let max_code_bytes = self.u32()? as usize;
        let max_blob_gas = self.u64()?;
        let block = BlockEnv {
            number: U256::from(self.u64()?),
            timestamp: U256::from(self.u64()?),
            gas_limit: self.u64()?,
            beneficiary: self.address()?,
            difficulty: self.u256()?,
            prevrandao: Some(self.b256()?),
            ..BlockEnv::default()
        };
        Ok(Settings {
            spec,
            chain_id,
            max_code_bytes,
            block,
            base_fee: self.u256()?,
            blob_base_fee: self.u256()?,
            moved_precompiles: self.list(|reader| Ok((reader.address()?, reader.address()?)))?,
            max_blob_gas,
            gas_cap,
            call_tree_max_bytes: (flags & 1 != 0).then_some(call_tree_max_bytes),
            writes_changes: flags & 2 != 0,
            is_brief: flags & 4 != 0,
            waivers,
        })
    }

    pub fn transaction(&mut self, chain_id: U256) -> Result<Transaction, Stop> {
        let tx_type = self.u8()?;
        let caller = self.address()?;
        let nonce = self.u64()?;
        let gas_limit = self.u64()?;
        let max_fee = self.u256()?;
        let priority_fee = self.u256()?;
        let value = self.u256()?;
        let kind = if self.u8()? == 0 { TxKind::Create } else { TxKind::Call(self.address()?) };
        let data = Bytes::copy_from_slice(self.sized()?);
        let access_list = AccessList(if tx_type == 0 { Vec::new() } else { self.list(Self::access_list_item)? });
        let max_blob_fee = if tx_type == 3 { self.u256()? } else { U256::ZERO };
        let blob_hashes = if tx_type == 3 { self.list(Self::b256)? } else { Vec::new() };
        let authorizations =
            if tx_type == 4 { self.list(|reader| reader.authorization(chain_id))? } else { Vec::new() };
        let env = TxEnv {
            tx_type,
            caller,
            gas_limit,
            kind,
            value,
            data,
            nonce,
            access_list,
            blob_hashes,
            authorization_list: authorizations.into_iter().map(Either::Right).collect(),
            // The prices of gas and blobs are kept elsewhere; see evm.rs.
            ..TxEnv::default()
        };
        Ok(Transaction { env, max_fee, priority_fee, max_blob_fee })
    }

    fn access_list_item(&mut self) -> Result<AccessListItem, Stop> {
        Ok(AccessListItem { address: self.address()?, storage_keys: self.list(Self::b256)? })
    }

    /// Chain ids of 256 bits are compared here. revm has 64 bits, so it sees either any chain or an invalid
    /// authority.
    fn authorization(&mut self, chain_id: U256) -> Result<RecoveredAuthorization, Stop> {
        let signed = Authorization { chain_id: self.u256()?, address: self.address()?, nonce: self.u64()? };
        let parity = self.u8()?;
        let signature = self.take(64)?;
        let is_for_us = signed.chain_id.is_zero() || signed.chain_id == chain_id;
        let is_low = U256::from_be_slice(&signature[32..]) <= recover::HALF_ORDER;
        let signer = if is_for_us && parity == NAMED_AUTHORITY {
            // In a simulation nobody signed, and the signature bytes name the authority.
            Some(Address::from_slice(&signature[44..]))
        } else if is_for_us && is_low {
            recover::signer(signed.signature_hash().as_slice(), signature, parity)
        } else {
            None
        };
        let authority = signer.map_or(RecoveredAuthority::Invalid, RecoveredAuthority::Valid);
        Ok(RecoveredAuthorization::new_unchecked(Authorization { chain_id: U256::ZERO, ..signed }, authority))
    }

    pub fn list<Item>(&mut self, item: impl Fn(&mut Self) -> Result<Item, Stop>) -> Result<Vec<Item>, Stop> {
        let count = self.u32()?;
        // The count is untrusted, so no capacity is reserved.
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn u8(&mut self) -> Result<u8, Stop> {
        Ok(self.take(1)?[0])
    }

    pub fn u32(&mut self) -> Result<u32, Stop> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, Stop> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    fn u256(&mut self) -> Result<U256, Stop> {
        Ok(U256::from_be_bytes(self.array::<32>()?))
    }

    fn b256(&mut self) -> Result<B256, Stop> {
        Ok(B256::new(self.array()?))
    }

    fn address(&mut self) -> Result<Address, Stop> {
        Ok(Address::new(self.array()?))
    }

    fn sized(&mut self) -> Result<&'a [u8], Stop> {
        let length = self.u32()? as usize;
        self.take(length)
    }

    fn array<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], Stop> {
        let mut bytes = [0; LENGTH];
        bytes.copy_from_slice(self.take(LENGTH)?);
        Ok(bytes)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Stop> {
        let (taken, rest) =
            self.rest.split_at_checked(length).ok_or_else(|| broken("an argument that ends too early"))?;
        self.rest = rest;
        Ok(taken)
    }
}

fn broken(what: &str) -> Stop {
    Stop::Broken(format!("The native engine was given {what}."))
}
