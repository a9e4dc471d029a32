//! Plain revm with its own state in memory, on the programs of bench/engine-programs.ts, as the reference for the
//! native engine. `bench/engine.ts` writes the programs to a file and reads the output: name and gas per microsecond
//! of CPU, the best of some runs.
//!
//! `bare file gas runs`

use std::{error::Error, fs, str::FromStr};

use alloy_primitives::{Address, Bytes, TxKind, U256, address, hex};
use revm::{
    Context, ExecuteEvm, MainBuilder, MainContext,
    bytecode::Bytecode,
    context::TxEnv,
    database::{CacheDB, EmptyDB},
    primitives::hardfork::SpecId,
    state::AccountInfo,
};

const SENDER: Address = address!("1000000000000000000000000000000000000001");
const CONTRACT: Address = address!("c000000000000000000000000000000000000003");

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, gas, runs] = args.as_slice() else { return Err("bare file gas runs".into()) };
    let (gas, runs): (u64, u32) = (gas.parse()?, runs.parse()?);
    for line in fs::read_to_string(file)?.lines() {
        let [name, spec, code, input] = line.split('|').collect::<Vec<_>>()[..] else {
            return Err("name|fork|code|input".into());
        };
        let rate = measure(SpecId::from_str(spec).map_err(|_| "unknown fork")?, code, input, gas, runs)?;
        println!("{name}|{rate}");
    }
    Ok(())
}

fn measure(spec: SpecId, code: &str, input: &str, gas: u64, runs: u32) -> Result<f64, Box<dyn Error>> {
    let mut db = CacheDB::new(EmptyDB::default());
    let code = Bytecode::new_legacy(hex::decode(code)?.into());
    db.insert_account_info(CONTRACT, AccountInfo::from_bytecode(code).with_balance(U256::from(1)));
    db.insert_account_info(SENDER, AccountInfo::from_balance(U256::MAX >> 1));
    let input = Bytes::from(hex::decode(input)?);
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let mut evm = Context::mainnet()
            .with_db(&mut db)
            .modify_cfg_chained(|cfg| {
                cfg.set_spec_and_mainnet_gas_params(spec);
                cfg.tx_gas_limit_cap = Some(u64::MAX);
            })
            .modify_block_chained(|block| block.gas_limit = gas)
            .build_mainnet();
        let tx = TxEnv {
            caller: SENDER,
            kind: TxKind::Call(CONTRACT),
            gas_limit: gas,
            data: input.clone(),
            gas_price: 10,
            ..TxEnv::default()
        };
        let begun = cpu_nanoseconds()?;
        let result = evm.transact(tx)?.result;
        best = best.min((cpu_nanoseconds()? - begun) / 1000.0);
        assert_eq!(result.tx_gas_used(), gas, "the program ended before its gas did: {result:?}");
    }
    Ok(gas as f64 / best)
}

/// CPU time of this thread, so other programs on the machine do not count. Linux only.
fn cpu_nanoseconds() -> Result<f64, Box<dyn Error>> {
    // The kernel updates the figure when it schedules.
    std::thread::yield_now();
    let stat = fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(stat.split(' ').next().unwrap_or_default().parse()?)
}
