/** The genesis file of the development network (--network=dev): today's public rules and funded accounts. */
import { SYSTEM_CONTRACTS } from './system-contracts.ts'

export interface DevAccount {
  readonly address: string
  /** A public key pair from the genesis files in Besu's documentation. */
  readonly privateKey: string
  readonly balanceWei: bigint
}

const ETHER = 10n ** 18n

/** The accounts and balances of Besu's former development network. */
export const DEV_ACCOUNTS: readonly DevAccount[] = [
  {
    address: '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73',
    privateKey: '0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63',
    balanceWei: 200n * ETHER,
  },
  {
    address: '0x627306090abab3a6e1400e9345bc60c78a8bef57',
    privateKey: '0xc87509a1c067bbde78beb793e6fa76530b6382a4c0241e5e4a9ec0a0f44dc0d3',
    balanceWei: 90_000n * ETHER,
  },
  {
    address: '0xf17f52151ebef6c7334fad080c5704d77216b732',
    privateKey: '0xae6ae8e5ccbfb04590405997ee2d52d2b330726137b875053c36d94e974d162f',
    balanceWei: 90_000n * ETHER,
  },
]

export const DEV_CHAIN_ID = 1337

/**
 * Blocks follow proof of stake, which needs no seal. With this high gas limit the base fee stays 0, as in Besu's development
 * network: transactions are free unless they offer a tip.
 */
export function devGenesisText(): string {
  const config = {
    chainId: DEV_CHAIN_ID,
    londonBlock: 0,
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
    osakaTime: 0,
    contractSizeLimit: 2_147_483_647,
    ethash: {},
  }
  const contracts = Object.entries(SYSTEM_CONTRACTS).map(([address, code]) => [
    address,
    { balance: '0x0', nonce: '0x1', code },
  ])
  const accounts = DEV_ACCOUNTS.map(({ address, balanceWei }) => [
    address,
    { balance: `0x${balanceWei.toString(16)}` },
  ])
  return JSON.stringify({
    config,
    nonce: '0x0',
    timestamp: '0x0',
    extraData: '0x',
    gasLimit: '0x1fffffffffffff',
    difficulty: '0x0',
    baseFeePerGas: '0x0',
    mixHash: `0x${'00'.repeat(32)}`,
    coinbase: `0x${'00'.repeat(20)}`,
    alloc: Object.fromEntries([...contracts, ...accounts]),
  })
}
