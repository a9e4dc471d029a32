/** A network that is proof of stake from block 1 on, with a fork every ten seconds. */
import { SYSTEM_CONTRACTS } from '#consensus/dev/system-contracts.ts'

/** The first account of the development network. */
const RICH = '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73'

const contracts = Object.entries(SYSTEM_CONTRACTS).map(([address, code]) => [
  address,
  { balance: '0x0', code },
])

export const STAKE_GENESIS = JSON.stringify({
  config: {
    chainId: 1337,
    homesteadBlock: 0,
    eip150Block: 0,
    eip155Block: 0,
    eip158Block: 0,
    byzantiumBlock: 0,
    constantinopleBlock: 0,
    petersburgBlock: 0,
    istanbulBlock: 0,
    berlinBlock: 0,
    londonBlock: 0,
    terminalTotalDifficulty: 0,
    shanghaiTime: 10,
    cancunTime: 20,
    pragueTime: 30,
    osakaTime: 40,
  },
  difficulty: '0x0',
  gasLimit: '0x1c9c380',
  baseFeePerGas: '0x7',
  alloc: { [RICH]: { balance: '0xffffffffffffffffffff' }, ...Object.fromEntries(contracts) },
})

/** Options of a node with the Engine API and without tokens. */
export const ENGINE_OPTIONS = {
  'engine-rpc-enabled': true,
  'engine-rpc-port': 0,
  'engine-jwt-disabled': true,
} as const
