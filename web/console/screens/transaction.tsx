import { useState } from 'preact/hooks'
import {
  type Decoded,
  decodeCall,
  decodeLog,
  explainRevert,
  saveAbi,
  saveArtifacts,
  savedAbi,
} from '../abi.ts'
import { count, gas, gasPrice, plural, toNumber, wei } from '../format.ts'
import { Address, Badge, Empty, Facts, Hash, Panel, Problem, useLoaded } from '../parts.tsx'
import { linkTo } from '../route.ts'
import { ask, request } from '../rpc.ts'
import { type NodeView, useConsole } from '../state.ts'
import type { Explanation, Log, Receipt, Transaction } from '../types.ts'

interface Trace {
  readonly action: {
    readonly callType?: string
    readonly from: string
    readonly to?: string
    readonly value?: string
    readonly input?: string
    readonly gas?: string
  }
  readonly type: string
  readonly error?: string
  readonly revertReason?: string
  readonly result?: { readonly gasUsed?: string; readonly output?: string; readonly address?: string } | null
  readonly traceAddress: readonly number[]
}

interface Found {
  readonly transaction: Transaction | null
  readonly receipt: Receipt | null
  readonly traces: readonly Trace[]
  readonly traceProblem: string | undefined
  readonly explanation: Explanation | null
}

export function TransactionScreen({ node, hash }: { node: NodeView; hash: string }) {
  useConsole()
  const [abiTurn, setAbiTurn] = useState(0)
  const number = node.head?.number
  const isSettled = useSettled(hash)
  const loaded = useLoaded(() => load(node, hash), [node.key, hash, isSettled.is(hash) ? '' : number])
  if (loaded.value?.receipt) isSettled.mark(hash)
  if (loaded.error) return <Problem text={loaded.error} />
  if (loaded.value === undefined) return <Empty title="Loading…" />
  const { transaction, receipt, traces, traceProblem, explanation } = loaded.value
  if (transaction === null) {
    return (
      <Panel title="Transaction">
        <Empty title="This node does not know the transaction">
          {explanation?.sentence ?? 'It was never sent here, or it was dropped.'}
        </Empty>
      </Panel>
    )
  }
  const revert =
    receipt?.status === '0x0'
      ? (receipt.revertReason ?? traces[0]?.revertReason ?? traces[0]?.result?.output)
      : undefined
  return (
    <>
      <Panel title="Transaction" note={<Hash value={transaction.hash} head={18} />}>
        {receipt?.status === '0x0' && (
          <p class="problem" id="revert">
            {revert === undefined
              ? `It failed: ${traces[0]?.error ?? 'no reason recorded'}.`
              : explainRevert(revert)}
          </p>
        )}
        {explanation && receipt === null && (
          <p class="inset" id="explanation">
            {explanation.sentence}
          </p>
        )}
        <Facts rows={factsOf(transaction, receipt)} />
      </Panel>
      <Panel
        title="Call tree"
        note={traces.length > 0 ? plural(traces.length, 'call') : ''}
        key={`tree${abiTurn}`}
      >
        {traces.length === 0 ? (
          <Empty title={receipt === null ? 'The transaction has not been executed' : 'No call tree'}>
            {traceProblem}
          </Empty>
        ) : (
          <ol class="tree">
            {traces.map((trace) => (
              <TraceLine key={trace.traceAddress.join('.')} trace={trace} />
            ))}
          </ol>
        )}
      </Panel>
      <Panel
        title="Logs"
        note={receipt?.logs.length ? plural(receipt.logs.length, 'log') : ''}
        key={`logs${abiTurn}`}
      >
        {receipt === null || receipt.logs.length === 0 ? (
          <Empty title="No logs" />
        ) : (
          <ol class="logs">
            {receipt.logs.map((log) => (
              <LogLine key={log.logIndex} log={log} />
            ))}
          </ol>
        )}
      </Panel>
      <AbiPanel onSaved={() => setAbiTurn((before) => before + 1)} />
    </>
  )
}

/** A mined transaction of a final block is loaded once. */
const settled = new Set<string>()
const useSettled = (_: string) => ({
  is: (hash: string) => settled.has(hash),
  mark: (hash: string) => settled.add(hash),
})

async function load(node: NodeView, hash: string): Promise<Found> {
  const transaction = await request<Transaction | null>(node.key, 'eth_getTransactionByHash', hash)
  const [receipt, traces, explanation] = await ask(node.key, [
    { method: 'eth_getTransactionReceipt', params: [hash] },
    { method: 'trace_transaction', params: [hash] },
    { method: 'txpool_explain', params: [hash] },
  ])
  const value = <Value,>(answer: typeof receipt, otherwise: Value): Value =>
    answer?.ok ? (answer.result as Value) : otherwise
  return {
    transaction,
    receipt: value<Receipt | null>(receipt, null),
    traces: value<Trace[]>(traces, []),
    traceProblem: traces?.ok === false ? traces.message : undefined,
    explanation: value<Explanation | null>(explanation, null),
  }
}

function factsOf(transaction: Transaction, receipt: Receipt | null): Parameters<typeof Facts>[0]['rows'] {
  const { from, to, value, nonce, blockNumber, input } = transaction
  const call = decodeCall(input)
  const status =
    receipt === null ? (
      <Badge level="warn">waiting</Badge>
    ) : receipt.status === '0x1' ? (
      <Badge level="good">succeeded</Badge>
    ) : (
      <Badge level="bad">failed</Badge>
    )
  return [
    ['Status', status],
    [
      'Block',
      blockNumber === null ? (
        'none yet'
      ) : (
        <a href={linkTo(`block/${toNumber(blockNumber)}`)}>{count(toNumber(blockNumber))}</a>
      ),
    ],
    ['From', <Address value={from} />],
    [
      'To',
      to === null ? (
        receipt?.contractAddress ? (
          <Address value={receipt.contractAddress} />
        ) : (
          'new contract'
        )
      ) : (
        <Address value={to} />
      ),
    ],
    ['Value', wei(value)],
    ['Nonce', count(toNumber(nonce))],
    [
      'Gas',
      receipt
        ? `${count(BigInt(receipt.gasUsed))} of ${gas(transaction.gas)}`
        : `at most ${gas(transaction.gas)}`,
    ],
    ['Gas price', gasPrice(receipt?.effectiveGasPrice ?? transaction.gasPrice ?? '0x0')],
    ['Input', input === '0x' ? 'none' : call ? <Call call={call} /> : <Hash value={input} head={18} />],
  ]
}

function Call({ call }: { call: Decoded }) {
  return (
    <span class="mono wrap">
      <span class="strong">{call.name}</span>(
      {call.values.map(({ name, text }) => `${name}: ${text}`).join(', ')})
    </span>
  )
}

function TraceLine({ trace: { action, type, error, revertReason, result, traceAddress } }: { trace: Trace }) {
  const input = action.input ?? '0x'
  const call = decodeCall(input)
  const paddingLeft = `${16 + traceAddress.length * 20}px`
  // A deep call keeps room for its text, and the list scrolls.
  const minWidth = `calc(${paddingLeft} + 16rem)`
  return (
    <li style={{ paddingLeft, minWidth }} class={error ? 'bad' : ''}>
      <span class="chip">{action.callType ?? type}</span>
      <Address value={action.from} />
      <span class="faint">→</span>
      {action.to || result?.address ? (
        <Address value={(action.to ?? result?.address)!} />
      ) : (
        <span>new contract</span>
      )}
      {call ? <Call call={call} /> : input !== '0x' && type === 'call' && <Hash value={input} head={10} />}
      {action.value && action.value !== '0x0' && <span>{wei(action.value)}</span>}
      {result?.gasUsed && <span class="faint">{gas(result.gasUsed)}</span>}
      {error && <span class="bad-text">{revertReason ? explainRevert(revertReason) : error}</span>}
    </li>
  )
}

function LogLine({ log }: { log: Log }) {
  const known = decodeLog(log.topics, log.data)
  return (
    <li>
      <span class="chip">{toNumber(log.logIndex)}</span>
      <Address value={log.address} />
      {known ? (
        <Call call={known} />
      ) : (
        <span class="mono wrap">
          {log.topics.map((topic) => (
            <Hash key={topic} value={topic} head={10} />
          ))}
          <Hash value={log.data} head={18} />
        </span>
      )}
    </li>
  )
}

function AbiPanel({ onSaved }: { onSaved: () => void }) {
  const [message, setMessage] = useState('')
  // The page renders with every answer, which must not undo the user's typing.
  const [text, setText] = useState(savedAbi)
  const save = (saving: () => number | Promise<number>): void => {
    const done = async (): Promise<void> => {
      setMessage(`${plural(await saving(), 'entry', 'entries')} in use.`)
      setText(savedAbi())
      onSaved()
    }
    done().catch((error: Error) => setMessage(error.message))
  }
  return (
    <Panel title="ABI" note="decodes calls, logs and reverts; it stays in this browser">
      <div class="inset form">
        <label>
          Paste an ABI or a compiler artifact
          <textarea
            rows={4}
            value={text}
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
            onChange={() => save(() => saveAbi(text))}
          />
        </label>
        <label>
          Or choose the folder of your compiler's artifacts (Foundry's out, Hardhat's artifacts)
          <input
            type="file"
            // Every browser knows this name, and Preact's types do not.
            {...{ webkitdirectory: true }}
            onChange={(event) => {
              const files = [...(event.currentTarget.files ?? [])]
              save(() => saveArtifacts(files))
            }}
          />
        </label>
        {message && (
          <p class="note" role="status">
            {message}
          </p>
        )}
      </div>
    </Panel>
  )
}
