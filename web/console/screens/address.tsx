import { count, toNumber, wei } from '../format.ts'
import { Empty, Facts, Hash, Panel, Problem, Table, useLoaded } from '../parts.tsx'
import { linkTo } from '../route.ts'
import { ask, request } from '../rpc.ts'
import { type NodeView, useConsole } from '../state.ts'

const HISTORY_BLOCKS = 1_000
const HISTORY_COUNT = 50
const FIRST_BLOCKS = 16
/** A step with more of them is taken in smaller steps. */
const MAX_HITS = 500

interface TraceHit {
  readonly action: { readonly from: string; readonly to?: string; readonly value?: string }
  readonly blockNumber: number
  readonly transactionHash: string
  readonly transactionPosition: number
  readonly type: string
  readonly traceAddress: readonly number[]
}

export function AddressScreen({ node, address }: { node: NodeView; address: string }) {
  useConsole()
  const number = node.head?.number
  const loaded = useLoaded(
    () =>
      ask(node.key, [
        { method: 'eth_getBalance', params: [address, 'latest'] },
        { method: 'eth_getTransactionCount', params: [address, 'latest'] },
        { method: 'eth_getCode', params: [address, 'latest'] },
      ]),
    [node.key, address, number],
  )
  const history = useLoaded(() => loadHistory(node, address), [node.key, address, number])
  if (loaded.error) return <Problem text={loaded.error} />
  if (loaded.value === undefined) return <Empty title="Loading…" />
  const refused = loaded.value.find((each) => !each.ok)
  if (refused && !refused.ok) return <Problem text={refused.message} />
  const [balance, nonce, code] = loaded.value.map((each) => (each.ok ? String(each.result) : '0x')) as [
    string,
    string,
    string,
  ]
  const bytes = (code.length - 2) / 2
  return (
    <>
      <Panel title={bytes > 0 ? 'Contract' : 'Account'} note={<Hash value={address} head={42} />}>
        <Facts
          rows={[
            ['Balance', wei(balance)],
            ['Transactions sent', count(toNumber(nonce))],
            ['Code', bytes === 0 ? 'none' : `${count(bytes)} bytes`],
          ]}
        />
        {bytes > 0 && <pre class="code">{code.length > 4_000 ? `${code.slice(0, 4_000)}…` : code}</pre>}
      </Panel>
      <Panel
        title="History"
        note={`the last ${HISTORY_COUNT} calls to and from the address, from at most ${count(HISTORY_BLOCKS)} blocks`}
      >
        {history.error ? (
          <Problem text={history.error} />
        ) : (
          <Table
            label="History"
            columns={[
              {
                title: 'Block',
                cell: ({ blockNumber }) => <a href={linkTo(`block/${blockNumber}`)}>{count(blockNumber)}</a>,
              },
              {
                title: 'Transaction',
                cell: ({ transactionHash }) => (
                  <Hash value={transactionHash} link={`tx/${transactionHash}`} head={10} />
                ),
              },
              {
                title: 'From',
                cell: ({ action }) => <Hash value={action.from} link={`address/${action.from}`} />,
              },
              {
                title: 'To',
                cell: ({ action }) =>
                  action.to ? <Hash value={action.to} link={`address/${action.to}`} /> : 'new contract',
              },
              {
                title: 'Kind',
                isMinor: true,
                cell: ({ type, traceAddress }) => (traceAddress.length > 0 ? `${type}, inner` : type),
              },
              { title: 'Value', isNumber: true, cell: ({ action }) => wei(action.value ?? '0x0') },
            ]}
            rows={history.value ?? []}
            keyOf={keyOf}
            empty={history.isLoading ? 'Loading…' : 'No calls in these blocks.'}
          />
        )}
      </Panel>
    </>
  )
}

const keyOf = ({ transactionHash, traceAddress }: TraceHit): string =>
  `${transactionHash}/${traceAddress.join('.')}`

/** `trace_filter` begins with the oldest block, so the newest calls are searched in growing steps back from the head. */
async function loadHistory(node: NodeView, address: string): Promise<readonly TraceHit[]> {
  const head = node.head ? toNumber(node.head.number) : 0
  const first = Math.max(0, head - HISTORY_BLOCKS + 1)
  const found = new Map<string, TraceHit>()
  let [last, blocks] = [head, FIRST_BLOCKS]
  while (last >= first && found.size < HISTORY_COUNT) {
    const from = Math.max(first, last - blocks + 1)
    const [sent, received] = await callsIn(node, address, from, last)
    const isCut = sent.length === MAX_HITS || received.length === MAX_HITS
    if (isCut && from < last) {
      blocks = Math.ceil((last - from + 1) / 8)
      continue
    }
    const hits = [...sent, ...received].sort(
      (one, other) =>
        other.blockNumber - one.blockNumber || other.transactionPosition - one.transactionPosition,
    )
    for (const hit of hits) found.set(keyOf(hit), hit)
    last = from - 1
    blocks *= 4
  }
  return [...found.values()].slice(0, HISTORY_COUNT)
}

async function callsIn(node: NodeView, address: string, from: number, to: number) {
  const hex = (number: number): string => `0x${number.toString(16)}`
  const range = { fromBlock: hex(from), toBlock: hex(to), count: MAX_HITS }
  return await Promise.all([
    request<TraceHit[]>(node.key, 'trace_filter', { ...range, fromAddress: [address] }),
    request<TraceHit[]>(node.key, 'trace_filter', { ...range, toAddress: [address] }),
  ])
}
