/** The genesis file of the development network (--network=dev): today's public rules and funded accounts. */
import type { DevAccount } from './dev-accounts.ts'
import { SYSTEM_CONTRACTS } from './system-contracts.ts'

export const DEV_CHAIN_ID = 1337

/**
 * Blocks follow proof of stake, which needs no seal. With this high gas limit the base fee stays 0, as in Besu's development
 * network: transactions are free unless they offer a tip.
 */
export function devGenesisText(funded: readonly Pick<DevAccount, 'address' | 'balanceWei'>[]): string {
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
  const accounts = funded.map(({ address, balanceWei }) => [
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
