/**
 * Besu chains that execute every instruction about the block and the transaction, under each fee rule of a genesis
 * file. Every block is built again on its parent, which must give Besu's header field by field, and is then imported
 * with its seals.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { candidatesOf } from '#chain/chain.fixture.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { bftTemplate } from '#consensus/bft/block-template.ts'
import { addressToBytes, parseAddress } from '#types/address.ts'
import { encodedBlocks } from '#types/block/block.fixture.ts'
import { decodeBlock } from '#types/block/block.ts'
import { bigintToBytes, bytesToBigint } from '#types/bytes.ts'
import { openMemoryChain, parseGenesisText } from '../chains/memory-chain.ts'
import { openHttp } from '../rpc/http-target.ts'
import { outcomeOf, type Pack, type Suite } from '../suite.ts'

interface Answers {
  readonly last: string
  readonly contract: string
  readonly slots: Readonly<Record<string, string>>
  readonly blobBaseFee: string
  readonly gasPrice: string
}

/** --min-gas-price of the recorded nodes by chain; on the first, transactions without a price were mined. */
const MIN_GAS_PRICES_WEI = { zero: 0n, fixed: 1_000n, market: 1_000n }

const suite: Suite = {
  name: 'recorded/besu-env',
  async *run(pack) {
    for (const [name, minGasPriceWei] of Object.entries(MIN_GAS_PRICES_WEI)) {
      const folder = `recorded/besu-env/${name}`
      const answers = pack.json(`${folder}/answers.json`) as Answers
      const blocks = new Uint8Array(readFileSync(pack.path(`${folder}/blocks.rlp`)))
      const genesis = parseGenesisText(pack.text(`${folder}/genesis.json`))
      const { chain } = await openMemoryChain(genesis)
      for (const encoded of encodedBlocks(blocks)) {
        const { number } = decodeBlock(encoded).header
        if (number === 0n) continue
        yield outcomeOf(`${folder}/blocks.rlp#${number}`, () => playBlock(chain, encoded, minGasPriceWei))
      }
      yield outcomeOf(`${folder}/answers.json#state`, () => requireState(chain, answers))
      yield outcomeOf(`${folder}/answers.json#fees`, () => {
        // A node that cannot import the chain would not start.
        requireState(chain, answers)
        return requireFees(pack, folder, minGasPriceWei, answers)
      })
    }
  },
}

export default suite

async function playBlock(chain: Chain, encoded: Uint8Array, fixedBaseFeeWei: bigint): Promise<void> {
  const { header, transactions } = decodeBlock(encoded)
  const { timestamp, coinbase, extraData } = header
  const template = bftTemplate({ parent: chain.head.hash, timestamp, coinbase, extraData, fixedBaseFeeWei })
  const candidates = async function* () {
    yield candidatesOf(transactions)
  }
  const built = await chain.build(template, { candidates })
  assert.deepEqual(built.executed.block.header, header, 'the block built here')
  const verdict = await chain.importBlock(chain.receive(encoded))
  assert.ok(verdict.ok, verdict.ok ? '' : verdict.sentence)
}

function requireState(chain: Chain, { last, contract, slots }: Answers): void {
  assert.equal(chain.head.header.number, BigInt(last), 'head')
  const address = addressToBytes(parseAddress(contract))
  for (const [slot, value] of Object.entries(slots)) {
    const stored = chain.store.headState().storage(address, bigintToBytes(BigInt(slot), 32))
    assert.equal(bytesToBigint(stored ?? new Uint8Array(0)), BigInt(value), `slot ${slot}`)
  }
}

async function requireFees(
  pack: Pack,
  folder: string,
  minGasPriceWei: bigint,
  { blobBaseFee, gasPrice }: Answers,
): Promise<void> {
  // Only a node in its own process accepts this option.
  const options = [`--min-gas-price=${minGasPriceWei}`]
  const target = await openHttp([])(pack, { folder, blocksFile: 'blocks.rlp', options })
  try {
    const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
      const { body } = await target.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      return (JSON.parse(body) as { readonly result?: unknown }).result
    }
    assert.equal(await ask('eth_blobBaseFee'), blobBaseFee, 'eth_blobBaseFee')
    assert.equal(await ask('eth_gasPrice'), gasPrice, 'eth_gasPrice')
    const history = (await ask('eth_feeHistory', '0x2', 'latest', [])) as Record<string, readonly string[]>
    assert.deepEqual(new Set(history.baseFeePerBlobGas), new Set([blobBaseFee]), 'baseFeePerBlobGas')
  } finally {
    await target.stop()
  }
}
