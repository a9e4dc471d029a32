/** What bench/read.ts reads: a chain of token transfers, one in each block, and 200 in the last ones. */

import { ZERO_HASH } from '#chain/build-block.ts'
import { genesisHashOf } from '#chain/commit-genesis.ts'
import { createChain } from '#chain/create-chain.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import { createMemoryKv } from '#store/memory-kv.ts'
import { openStoreOn } from '#store/open-store.ts'
import { encodeBlock } from '#types/block.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { parseGenesis } from '#types/genesis.ts'
import { hashToBytes } from '#types/hash.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import { BFT_MIX_HASH, EXTRA_DATA, TOKEN, VALIDATOR, Workload } from './import-workload.ts'

const ACCOUNTS = 1_000
const LARGE_BLOCK = 200

export interface ReadChain {
  readonly genesisText: string
  /** From block 1 on; the last of them is large. */
  readonly blocks: readonly Uint8Array[]
  /** Large ones that come while it is read. */
  readonly further: readonly Uint8Array[]
  /** Transactions of each block and of each further one, encoded; for other nodes. */
  readonly transactions: readonly (readonly Uint8Array[])[]
  readonly holder: string
}

export async function makeReadChain(count: number, further: number): Promise<ReadChain> {
  const log = createLog({ level: 'OFF', fd: 2 })
  const [crypto, engine] = await Promise.all([loadCrypto(), chooseEngine(process.env.CAIRN_ENGINE, log)])
  const workload = new Workload(ACCOUNTS, crypto)
  const genesisText = genesisTextOf(workload)
  const verdict = parseGenesis(genesisText)
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems))
  const { genesis } = verdict
  const genesisHash = genesisHashOf(genesis, crypto.keccak)
  const { forks } = genesis.config.forks
  const at = {
    format: 'FOREST',
    historyBlocks: 512,
    genesisHash: hashToBytes(genesisHash),
    forks,
    log,
  } as const
  const store = await openStoreOn(createMemoryKv(), at)
  const chain = await createChain({ store, genesis, genesisHash, engine, crypto, clock: systemClock, log })
  const blocks: Uint8Array[] = []
  const transactions: Uint8Array[][] = []
  for (let number = 1; number <= count + further; number++) {
    const candidates = workload.transactions('ERC-20 transfers', number < count ? 1 : LARGE_BLOCK)
    const { executed } = await chain.build({
      parent: chain.head.hash,
      timestamp: chain.head.header.timestamp + 1n,
      coinbase: VALIDATOR,
      extraData: EXTRA_DATA,
      difficulty: 1n,
      mixHash: BFT_MIX_HASH,
      nonce: 0n,
      targetGasLimit: undefined,
      fixedBaseFeeWei: undefined,
      withdrawals: [],
      parentBeaconBlockRoot: ZERO_HASH,
      candidates,
    })
    const encoded = encodeBlock(executed.block)
    const imported = await chain.importBlock(chain.receive(encoded), { validation: 'none' })
    if (!imported.ok) throw new Error(imported.sentence)
    blocks.push(encoded)
    transactions.push(candidates.map((each) => each.encoded))
  }
  const [holder] = [...genesis.alloc.keys()].filter((address) => address !== TOKEN)
  return {
    genesisText,
    blocks: blocks.slice(0, count),
    further: blocks.slice(count),
    transactions,
    holder: holder!,
  }
}

function genesisTextOf(workload: Workload): string {
  const alloc: Record<string, object> = {}
  for (const [address, { balance, nonce, code }] of workload.genesis.alloc) {
    alloc[address] = {
      balance: formatQuantity(balance),
      nonce: formatQuantity(nonce),
      code: formatData(code),
    }
  }
  const word = (value: bigint): string => formatData(bigintToBytes(value, 32))
  const storage = [...workload.tokenStorage].map(([slot, value]) => [word(slot), word(value)])
  alloc[TOKEN] = { ...alloc[TOKEN], storage: Object.fromEntries(storage) }
  return JSON.stringify({
    config: { chainId: 1337, berlinBlock: 0, londonBlock: 0, shanghaiTime: 0, zeroBaseFee: true, qbft: {} },
    extraData: formatData(EXTRA_DATA),
    gasLimit: '0x7fffffff',
    difficulty: '0x1',
    mixHash: BFT_MIX_HASH,
    alloc,
  })
}
