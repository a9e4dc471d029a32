//! The precompiles of a fork, some of which may be moved by eth_simulateV1 and call overrides.

use std::collections::HashMap;

use revm::{
    handler::{EthPrecompiles, PrecompileProvider},
    interpreter::{CallInputs, InterpreterResult},
    primitives::{Address, AddressSet, hardfork::SpecId},
};

use crate::evm::CairnContext;

#[derive(Debug)]
pub struct CairnPrecompiles {
    all: EthPrecompiles,
    /// The precompile at an address that differs from the fork; `None` for the account's own code.
    moved: HashMap<Address, Option<Address>>,
}

impl CairnPrecompiles {
    /// `moved` lists old and new addresses.
    pub fn new(spec: SpecId, moved: &[(Address, Address)]) -> Self {
        let mut places: HashMap<_, _> = moved.iter().map(|(from, _)| (*from, None)).collect();
        places.extend(moved.iter().map(|(from, to)| (*to, Some(*from))));
        Self { all: EthPrecompiles::new(spec), moved: places }
    }

    pub fn contains(&self, address: &Address) -> bool {
        self.all.contains(address)
    }

    /// Whether a precompile may take long for little input: all except ECRECOVER, SHA256, RIPEMD160 and identity.
    pub fn is_long(&self, address: &Address) -> bool {
        let address = self.moved.get(address).copied().flatten().unwrap_or(*address);
        self.all.contains(&address) && !matches!(address.as_slice(), [0, .., 1..=4])
    }
}

impl PrecompileProvider<CairnContext> for CairnPrecompiles {
    type Output = InterpreterResult;

    fn set_spec(&mut self, spec: SpecId) -> bool {
        <EthPrecompiles as PrecompileProvider<CairnContext>>::set_spec(&mut self.all, spec)
    }

    fn run(&mut self, context: &mut CairnContext, inputs: &CallInputs) -> Result<Option<InterpreterResult>, String> {
        match self.moved.get(&inputs.bytecode_address) {
            None => self.all.run(context, inputs),
            Some(None) => Ok(None),
            Some(Some(from)) => {
                let inputs = CallInputs { bytecode_address: *from, ..inputs.clone() };
                self.all.run(context, &inputs)
            }
        }
    }

    /// The addresses of the fork: moving a precompile warms no other address.
    fn warm_addresses(&self) -> &AddressSet {
        self.all.warm_addresses()
    }
}
