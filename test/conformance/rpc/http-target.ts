import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createNode, type EmbeddedNode, type NodeOptions } from '#node/create-node.ts'
import { createLog } from '#platform/log/log.ts'
import { openStore } from '#store/open-store.ts'
import { encodedBlocks } from '#types/block/block.fixture.ts'
import { hashToBytes } from '#types/hash.ts'
import { parseGenesisText } from '../chains/memory-chain.ts'
import type { Pack } from '../suite.ts'
import type { OpenTarget, RpcReply, ServedChain } from './target.ts'

/** An embedded node with its threads and its store on disk, called over HTTP. */
export function openHttp(nodeOptions: readonly string[]): OpenTarget {
  return async (pack, served) => {
    const dataPath = mkdtempSync(join(tmpdir(), 'cairn-conformance-'))
    const genesis = pack.text(`${served.folder}/${served.genesisFile ?? 'genesis.json'}`)
    const start = (): Promise<EmbeddedNode> =>
      createNode({
        genesis,
        dataPath,
        engine: process.env.CAIRN_ENGINE as NodeOptions['engine'] & string,
        options: {
          'rpc-http-enabled': true,
          'rpc-http-port': 0,
          'data-storage-format': 'FOREST',
          ...recordOf(served.options),
          ...recordOf(nodeOptions),
        },
      })
    const removeData = () => rmSync(dataPath, { recursive: true, force: true })
    process.once('exit', removeData)
    let node = await start()
    await importBlocks(node, pack, served)
    if (served.isFinal) {
      await node.stop()
      await markFinal(genesis, dataPath)
      node = await start()
    }
    return {
      ask: (body) => post(node.http!.port, body),
      stop: async () => {
        await node.stop()
        process.off('exit', removeData)
        removeData()
      },
    }
  }
}

function recordOf(options: readonly string[]): Record<string, string> {
  const pairs = options.map((option) => /^--([^=]+)=?(.*)$/.exec(option)!.slice(1))
  return Object.fromEntries(pairs.map(([name, value]) => [name!, value || 'true']))
}

async function importBlocks(node: EmbeddedNode, pack: Pack, served: ServedChain): Promise<void> {
  const { folder, blocksFile, blocks = [] } = served
  const inFile =
    blocksFile === undefined ? [] : encodedBlocks(readFileSync(pack.path(`${folder}/${blocksFile}`)))
  for (const encoded of [...inFile, ...blocks]) {
    // A copy, because the complete file would be transferred to the writer otherwise.
    const verdict = await node.importBlock(encoded.slice(), 'light')
    if (!verdict.ok) throw new Error(verdict.sentence)
  }
}

/** No option sets the marks: they come from another node's fork choice. */
async function markFinal(genesisText: string, dataPath: string): Promise<void> {
  const genesis = parseGenesisText(genesisText)
  const { keccak } = await loadCrypto()
  const store = await openStore({
    path: join(dataPath, 'database'),
    format: 'FOREST',
    historyBlocks: 512,
    genesisHash: hashToBytes(genesisHashOf(genesis, keccak)),
    forks: genesis.config.forks.forks,
    log: createLog({ level: 'ERROR' }),
  })
  const mark = store.head()!
  await store.setMarks({ safe: mark, finalized: mark })
  await store.close()
}

/** Uses a new connection for each request, so every server gets some. */
function post(port: number, body: string): Promise<RpcReply> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request({ agent: false, host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () =>
        resolve({ status: response.statusCode!, body: Buffer.concat(pieces).toString() }),
      )
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
