import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPack } from '../../conformance/pack.ts'
import { type OpenRpcDocument, resultProblem } from '../../conformance/rpc/json-schema.ts'
import { parseConversation } from './conversation.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'api', 'methods')
const pack = openPack()

/** Methods for which Besu differs from the public specification; Cairn answers as Besu does. */
const DIFFERENCES: Readonly<Record<string, (result: unknown) => boolean>> = {
  // BFT networks have no system contracts.
  eth_config: () => true,
  // A pending transaction has no block.
  eth_getTransactionByHash: (result) => (result as { blockHash: unknown }).blockHash === null,
  // Error texts are Besu's.
  eth_simulateV1: (result) => JSON.stringify(result).includes('"error":'),
}

test('answers in conversations match the public specification if it has the method', (context) => {
  if (pack === undefined) return context.skip('there is no conformance pack')
  const document = pack.json('execution-apis/openrpc/refs-openrpc.json') as OpenRpcDocument
  const specified = new Set(document.methods.map(({ name }) => name))
  let checked = 0
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.io')) continue
    const scenes = parseConversation(readFileSync(join(folder, path), 'utf8'))
    for (const { request, answer, line } of scenes.flatMap(({ exchanges }) => exchanges)) {
      if (answer === '' || request.startsWith('[')) continue
      const { method } = JSON.parse(request)
      const { result } = JSON.parse(answer)
      // Besu returns null for unknown blocks in every method.
      if (result === undefined || result === null || !specified.has(method)) continue
      if (DIFFERENCES[method]?.(result)) continue
      assert.equal(resultProblem(document, method, result), undefined, `${path}:${line}`)
      checked++
    }
  }
  assert.ok(checked > 60, `${checked} results were checked`)
})
