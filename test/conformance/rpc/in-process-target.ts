import { readFileSync } from 'node:fs'
import type { Chain } from '#chain/write/create-chain.ts'
import { headOf } from '#jsonrpc/server/http-answers.ts'
import { encodedBlocks } from '#types/block/block.fixture.ts'
import { hashToBytes } from '#types/hash.ts'
import { LOCAL_CALL, startDispatcher, textOf } from '../../acceptance/conversations/in-process.ts'
import { openMemoryChain, parseGenesisText } from '../chains/memory-chain.ts'
import type { Pack } from '../suite.ts'
import type { RpcTarget, ServedChain } from './target.ts'

/** The real store in memory, the real chain and the dispatcher; no socket and no other thread. */
export async function openInProcess(pack: Pack, served: ServedChain): Promise<RpcTarget> {
  const genesis = parseGenesisText(pack.text(`${served.folder}/${served.genesisFile ?? 'genesis.json'}`))
  const { chain, engine } = await openMemoryChain(genesis)
  if (served.blocksFile !== undefined) {
    await importBlocks(chain, readFileSync(pack.path(`${served.folder}/${served.blocksFile}`)))
  }
  await importEncoded(chain, served.blocks ?? [])
  if (served.isFinal) {
    const mark = { number: Number(chain.head.header.number), hash: hashToBytes(chain.head.hash) }
    await chain.store.setMarks({ safe: mark, finalized: mark })
  }
  const dispatcher = startDispatcher(served.options, { chain, genesis, engine })
  return {
    ask: async (request) => {
      const answer = await dispatcher.dispatch(Buffer.from(request), LOCAL_CALL)
      return { status: headOf(answer).status, body: await textOf(answer) }
    },
    stop: () => chain.close(),
  }
}

async function importBlocks(chain: Chain, file: Uint8Array): Promise<void> {
  await importEncoded(chain, encodedBlocks(file))
}

async function importEncoded(chain: Chain, encoded: Iterable<Uint8Array>): Promise<void> {
  const blocks = Iterator.from(encoded).map((bytes) => chain.receive(bytes))
  const verdict = await chain.importMany(blocks, { validation: 'light' })
  if (!verdict.ok) throw new Error(`block ${verdict.block.header.number}: ${verdict.sentence}`)
}
