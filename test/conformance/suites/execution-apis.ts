/** Exchanges of the public specification on its chain, mostly recorded from a node other than Besu. */
import { parseConversation } from '../../acceptance/conversations/conversation.ts'
import { differenceOf } from '../rpc/compare.ts'
import { EXECUTION_API_DEVIATIONS } from '../rpc/execution-api-deviations.ts'
import { OWN_ERROR_TEXTS } from '../rpc/execution-api-texts.ts'
import { type OpenRpcDocument, resultProblem } from '../rpc/json-schema.ts'
import type { RpcTarget, ServedChain } from '../rpc/target.ts'
import { reasonToWait } from '../rpc/waits.ts'
import { type Outcome, outcomeOfPlay, type Suite } from '../suite.ts'

const TESTS = 'execution-apis/tests'
const CHAIN: ServedChain = {
  folder: TESTS,
  blocksFile: 'chain.rlp',
  // The gas cap of the client that created the files: simulated transactions without gas show it.
  options: [
    '--network-id=3503995874084926',
    '--rpc-http-api=ETH,NET,WEB3,DEBUG,TXPOOL,TESTING',
    '--rpc-gas-cap=50000000',
    // Its gas limit target, which the blocks it built approach.
    '--target-gas-limit=60000000',
  ],
  isFinal: true,
}

/** Files marked `speconly` show one of many possible answers: Cairn's answer must fit the schema. */
const EXAMPLES: readonly string[] = [
  'debug_traceBlockByNumber/trace-block-storage-encoding.io',
  'debug_traceBlockByNumber/trace-block-storage-snapshot-timing.io',
  'eth_capabilities/get-capabilities.io',
  // The client that created it took one transaction of many.
  'testing_buildBlockV1/build-block-from-mempool.io',
  'txpool_content/get-content.io',
  'txpool_status/get-status.io',
]

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
  const file = unit.slice(TESTS.length + 1)
  const deviation = EXECUTION_API_DEVIATIONS[file]
  for (const { request, answer } of parseConversation(text).flatMap(({ exchanges }) => exchanges)) {
    const call = JSON.parse(request) as { readonly method: string }
    const reason = reasonToWait(call)
    if (reason !== undefined) return { unit, status: 'waits', reason }
    const actual = JSON.parse((await target.ask(request)).body) as Answer
    const recorded = withOwnTexts(answer, OWN_ERROR_TEXTS[file])
    const difference = EXAMPLES.includes(file)
      ? resultProblem(document, call.method, actual.result)
      : differenceOf(deviation?.instead(recorded, TESTS) ?? recorded, actual)
    if (difference !== undefined) return { unit, status: 'failed', reason: difference }
  }
  return deviation === undefined
    ? { unit, status: 'met' }
    : { unit, status: 'deviates', decision: deviation.decision }
}

/** Replaces their texts by Cairn's. */
function withOwnTexts(answer: string, texts: Readonly<Record<string, string>> = {}): unknown {
  return JSON.parse(answer, (name, value) =>
    name === 'message' && typeof value === 'string' ? (texts[value] ?? value) : value,
  )
}
