/**
 * The life of a request. Every request passes these stages in this order, whatever its method:
 *
 *  1. receive         server/         the bytes of one message, within the limits of the transport
 *  2. limit           scan-json       nesting and number of values, while receiving
 *  3. authenticate    auth/           who sent the message
 *  4. parse envelope  envelope        one request or a batch within its limit; ids and notifications
 *  5. find method     registry        unknown names and methods that are not enabled have different errors
 *  6. authorise       run-call        the call is charged to its caller, who needs a grant for the name it used
 *  7. decode          method          parameters become values, or their error
 *  8. run             run-call        the method runs on its thread, with its resources and the client's signal
 *  9. present         run-call        the result becomes JSON text; a thrown value becomes an error (execute-call)
 * 10. send            server/         in one piece or in chunks
 *
 * Each element of a batch passes stages 5 to 9, one after the other (execute-call).
 */
import type { Answer, CallContext, Dispatcher, Transport } from '#jsonrpc/dispatcher.ts'
import type { RpcErrorKind } from '#jsonrpc/errors.ts'
import { JSONRPC_PROBLEMS } from '#jsonrpc/log-problems.ts'
import { formatJson } from '#types/json/json-format.ts'
import { parseJson } from '#types/json/json-parse.ts'
import { refuseMessage } from './answer.ts'
import type { Reply } from './call.ts'
import { type Batch, type Envelope, readMessage } from './envelope.ts'
import { beginBatch, continueBatch, holdBack } from './execute-batch.ts'
import { CallExecutor, type ExecutorOptions } from './execute-call.ts'

export interface DispatcherOptions extends ExecutorOptions {
  readonly limits: {
    /** 0 or less for no limit. */
    readonly maxBatchSize: number
  }
  /** Indents answers to single requests over HTTP. */
  readonly prettyPrint: boolean
}

interface TransportRules {
  readonly emptyMessage: RpcErrorKind
  readonly takesEmptyBatch: boolean
  readonly limitsBatches: boolean
  readonly mayPrettyPrint: boolean
}

/** Differences between the transports in Besu. */
const RULES: Readonly<Record<Transport, TransportRules>> = {
  http: { emptyMessage: 'PARSE_ERROR', takesEmptyBatch: false, limitsBatches: true, mayPrettyPrint: true },
  websocket: {
    emptyMessage: 'INVALID_REQUEST',
    takesEmptyBatch: true,
    limitsBatches: false,
    mayPrettyPrint: false,
  },
}

const NOTHING: Answer = { kind: 'nothing' }

/** One per transport, because each has its own APIs. */
export class MessageDispatcher implements Dispatcher {
  readonly #options: DispatcherOptions
  readonly #executor: CallExecutor

  constructor(options: DispatcherOptions) {
    this.#options = options
    this.#executor = new CallExecutor(options)
  }

  dispatch(message: Uint8Array, context: CallContext): Answer | Promise<Answer> {
    try {
      const answer = this.#answer(message, context)
      return answer instanceof Promise ? answer.catch((err) => this.#fail(err, context)) : answer
    } catch (err) {
      return this.#fail(err, context)
    }
  }

  #fail(err: unknown, { requestId }: CallContext): Answer {
    this.#options.log.error(JSONRPC_PROBLEMS.messageFailed, { requestId, err })
    return refuseMessage('INTERNAL_ERROR')
  }

  #answer(message: Uint8Array, context: CallContext): Answer | Promise<Answer> {
    const rules = RULES[context.transport]
    if (message.length === 0) return this.#refuse(rules.emptyMessage, context)
    const read = readMessage(message, context)
    switch (read.kind) {
      case 'unreadable':
        return this.#refuse('PARSE_ERROR', context)
      case 'single':
        return this.#single(read.envelope, rules, context)
      case 'batch':
        return this.#batch(read.batch, rules, context)
    }
  }

  #single(envelope: Envelope, rules: TransportRules, context: CallContext): Answer | Promise<Answer> {
    const reply = this.#executor.answer(envelope, context)
    return reply instanceof Promise
      ? reply.then((settled) => this.#singleAnswer(settled, rules, context))
      : this.#singleAnswer(reply, rules, context)
  }

  #singleAnswer(
    reply: Reply | undefined,
    rules: TransportRules,
    context: CallContext,
  ): Answer | Promise<Answer> {
    if (reply === undefined) return NOTHING
    const { error, retryAfterSeconds } = reply
    const isIndented = this.#options.prettyPrint && rules.mayPrettyPrint
    const body = isIndented && typeof reply.body === 'string' ? prettyPrint(reply.body) : reply.body
    if (retryAfterSeconds === undefined) return { kind: 'single', error, body }
    const held: Answer = { kind: 'single', error, body, retryAfterSeconds }
    return holdBack(this.#options.clock, context).then(() => held)
  }

  #batch(batch: Batch, rules: TransportRules, context: CallContext): Answer | Promise<Answer> {
    const { limits, clock } = this.#options
    const { maxBatchSize } = limits
    if (batch.size === 0 && !rules.takesEmptyBatch) return this.#refuse('INVALID_REQUEST', context)
    if (rules.limitsBatches && maxBatchSize > 0 && batch.size > maxBatchSize) {
      return this.#refuse('EXCEEDS_RPC_MAX_BATCH_SIZE', context)
    }
    const start = beginBatch(batch, this.#executor, context, clock)
    if (start.isComplete) return { kind: 'batch', body: start.text }
    return this.#restOf(continueBatch(start, batch, this.#executor, context, clock), context)
  }

  async #restOf(chunks: AsyncGenerator<string, string, void>, context: CallContext): Promise<Answer> {
    try {
      const first = await chunks.next()
      return { kind: 'batch', body: first.done ? first.value : startingWith(first.value, chunks) }
    } catch (thrown) {
      if (context.signal.aborted) return this.#refuse('TIMEOUT_ERROR', context)
      throw thrown
    }
  }

  #refuse(kind: RpcErrorKind, { requestId, traceparent }: CallContext): Answer {
    this.#options.log.debug('Refused message', { requestId, traceparent, error: kind })
    return refuseMessage(kind)
  }
}

async function* startingWith(
  first: string,
  rest: AsyncGenerator<string, string, void>,
): AsyncGenerator<string> {
  yield first
  yield yield* rest
}

/** Besu's format. Own answers need no limits; streamed answers are not indented. */
function prettyPrint(body: string): string {
  const most = Number.MAX_SAFE_INTEGER
  return formatJson(
    parseJson(body, { maxLength: most, maxDepth: most, maxItems: most, maxNumberLength: most }),
  )
}
