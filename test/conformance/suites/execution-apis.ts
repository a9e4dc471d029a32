/** Exchanges of the public specification, on its chain; most recorded from another node than the reference. */
import { parseConversation } from '../../conversations/conversation.ts'
import { differenceOf } from '../rpc/compare.ts'
import { EXECUTION_API_DEVIATIONS } from '../rpc/execution-api-deviations.ts'
import { type OpenRpcDocument, resultProblem } from '../rpc/json-schema.ts'
import type { RpcTarget, ServedChain } from '../rpc/target.ts'
import { reasonToWait } from '../rpc/waits.ts'
import { type Outcome, outcomeOfPlay, type Suite } from '../suite.ts'

const TESTS = 'execution-apis/tests'
const CHAIN: ServedChain = {
  folder: TESTS,
  blocksFile: 'chain.rlp',
  // The cap of the client that made the files: simulated transactions without gas of their own show it.
  options: [
    '--network-id=3503995874084926',
    '--rpc-http-api=ETH,NET,WEB3,DEBUG,TXPOOL,TESTING',
    '--rpc-gas-cap=50000000',
  ],
  isFinal: true,
}

const suite: Suite = {
  name: 'execution-apis',
  async *run(pack, openTarget) {
    const document = pack.json('execution-apis/openrpc/refs-openrpc.json') as OpenRpcDocument
    const target = await openTarget(pack, CHAIN)
    for (const unit of pack.files(TESTS).filter((path) => path.endsWith('.io'))) {
      yield outcomeOfPlay(unit, () => play(unit, pack.text(unit), target, document))
    }
    await target.stop()
  },
}

export default suite

interface Answer {
  readonly result?: unknown
  readonly error?: unknown
}

async function play(
  unit: string,
  text: string,
  target: RpcTarget,
  document: OpenRpcDocument,
): Promise<Outcome> {
  const isExample = /^\/\/ *speconly:/m.test(text)
  const deviation = EXECUTION_API_DEVIATIONS[unit.slice(TESTS.length + 1)]
  for (const { request, answer } of parseConversation(text).flatMap(({ exchanges }) => exchanges)) {
    const call = JSON.parse(request) as { readonly method: string }
    const reason = reasonToWait(call)
    if (reason !== undefined) return { unit, status: 'waits', reason }
    const actual = JSON.parse((await target.ask(request)).body) as Answer
    const difference =
      isExample && actual.error === undefined
        ? resultProblem(document, call.method, actual.result)
        : differenceOf(deviation?.instead(JSON.parse(answer), TESTS) ?? JSON.parse(answer), actual, {
            ignores,
          })
    if (difference !== undefined) return { unit, status: 'failed', reason: difference }
  }
  return deviation === undefined
    ? { unit, status: 'met' }
    : { unit, status: 'deviates', decision: deviation.decision }
}

/** Texts of errors are each node's own. */
function ignores(path: string, expected: unknown, actual: unknown): boolean {
  return /(^|\.)error\.message$/.test(path) && typeof expected === 'string' && typeof actual === 'string'
}
