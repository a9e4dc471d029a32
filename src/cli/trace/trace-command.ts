import { Artifacts } from '#abi/artifacts.ts'
import { CallExplainer } from '#abi/explain-call.ts'
import {
  renderCalls,
  renderEvents,
  type StyledLine,
  span,
  type TracedCall,
  type TracedEvent,
} from '#abi/render-calls.ts'
import { defineCommand } from '#cli/command.ts'
import { readToken } from '#cli/read-text.ts'
import { httpUrl, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { type AnswerLimits, askNode, type NodeAnswer, type NodeCall } from '#fleet/ask-node.ts'
import type { Endpoint } from '#fleet/endpoint.ts'
import type { Address } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, parseHash } from '#types/hash.ts'
import {
  dataOf,
  isObject,
  quantityOf,
  readFlatTraces,
  readReceiptEvents,
  readTracerResult,
} from './read-call-tree.ts'

const options = defineOptions('Options', {
  rpcUrl: {
    flag: '--rpc-url',
    kind: httpUrl,
    default: 'http://127.0.0.1:8545',
    help: 'JSON-RPC URL of the node; any node that traces.',
    details: 'The node needs the DEBUG or the TRACE API.',
  },
  tokenFile: { flag: '--token-file', kind: path, help: 'File with a token for the node.' },
  artifacts: {
    flag: '--artifacts',
    kind: path,
    label: 'DIRECTORY',
    help: "Foundry's out or Hardhat's artifacts folder, for names.",
  },
})

/** A node may execute the block again, and a call tree holds all call data. */
const LIMITS: AnswerLimits = { deadlineMs: 60_000, maxAnswerBytes: 256 * 1024 * 1024 }
const CODES_PER_REQUEST = 100

export default defineCommand({
  options,
  operands: { label: 'HASH', help: 'Hash of the transaction.', count: 1 },
  async run({ own, operands, io }) {
    const hash = parseHash(operands[0]!)
    const artifacts = new Artifacts(own.get(options.artifacts))
    const tokenFile = own.get(options.tokenFile)
    const node = new TracedNode({
      url: own.get(options.rpcUrl),
      ...(tokenFile !== undefined && { token: readToken(tokenFile) }),
    })
    const receipt = await node.receipt(hash)
    const tree = await node.callTree(hash)
    const events = hasEvents(tree) ? [] : readReceiptEvents(receipt)
    // Only names need the code of contracts.
    const addresses = own.isGiven(options.artifacts) ? addressesOf(tree, events) : []
    const codes = await node.codes(addresses)
    const explainer = new CallExplainer(artifacts, (address) => codes.get(address))
    io.outStyled([
      summary(receipt),
      ...renderCalls(tree, explainer, { maxLines: Number.POSITIVE_INFINITY }),
      ...renderEvents(events, explainer),
    ])
  },
})

class TracedNode {
  readonly #endpoint: Endpoint

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  async receipt(hash: Hash): Promise<Readonly<Record<string, unknown>>> {
    const [answer] = await this.#ask([{ method: 'eth_getTransactionReceipt', params: [hash] }])
    const { result, error } = answer!
    if (isObject(result)) return result
    throw traceFault(
      error === undefined
        ? `${this.#endpoint.url} has no receipt of this transaction: it is not in a block, or the hash is wrong.`
        : `${this.#endpoint.url} returns no receipt: ${error.message}`,
    )
  }

  /** Not in one batch: a node that has both methods would execute the transaction for both. */
  async callTree(hash: Hash): Promise<TracedCall> {
    const config = { tracer: 'callTracer', tracerConfig: { withLog: true } }
    const [traced] = await this.#ask([{ method: 'debug_traceTransaction', params: [hash, config] }])
    const tree = readTracerResult(traced!.result)
    if (tree !== undefined) return tree
    const [flat] = await this.#ask([{ method: 'trace_transaction', params: [hash] }])
    const read = readFlatTraces(flat!.result)
    if (read !== undefined) return read
    throw traceFault(
      `${this.#endpoint.url} returns no call tree. debug_traceTransaction: ${reasonOf(traced!)}. trace_transaction: ${reasonOf(flat!)}. Enable the DEBUG or the TRACE API of the node.`,
    )
  }

  async codes(addresses: readonly Address[]): Promise<ReadonlyMap<Address, Uint8Array>> {
    const codes = new Map<Address, Uint8Array>()
    for (let from = 0; from < addresses.length; from += CODES_PER_REQUEST) {
      const part = addresses.slice(from, from + CODES_PER_REQUEST)
      const calls = part.map((address) => ({ method: 'eth_getCode', params: [address, 'latest'] }))
      const answers = await this.#ask(calls)
      for (const [index, address] of part.entries()) codes.set(address, dataOf(answers[index]!.result))
    }
    return codes
  }

  #ask(calls: readonly NodeCall[]): Promise<readonly NodeAnswer[]> {
    return askNode(this.#endpoint, calls, LIMITS)
  }
}

function summary({ status, gasUsed, blockNumber }: Readonly<Record<string, unknown>>): StyledLine {
  const outcome = status === '0x0' ? span('failed', 'error') : span('succeeded', 'event')
  const [block, gas] = [quantityOf(blockNumber), quantityOf(gasUsed)]
  return [span('Transaction '), outcome, span(` in block ${block}, gas used ${gas}`)]
}

function hasEvents({ events, calls }: TracedCall): boolean {
  return events.length > 0 || calls.some(hasEvents)
}

function addressesOf(tree: TracedCall, others: readonly TracedEvent[]): readonly Address[] {
  const found = new Set<Address>(others.map(({ address }) => address))
  const visit = ({ to, calls, events }: TracedCall): void => {
    if (to !== undefined) found.add(to)
    for (const { address } of events) found.add(address)
    for (const call of calls) visit(call)
  }
  visit(tree)
  return [...found]
}

function reasonOf({ error }: NodeAnswer): string {
  return error?.message ?? 'the result is not a call tree'
}

function traceFault(sentence: string): Fault {
  return new Fault('TRACE_FAILED', { sentence })
}
