import { count, toNumber, wei } from '../format.ts'
import { Empty, Facts, Hash, Panel, Problem, Table, useLoaded } from '../parts.tsx'
import { linkTo } from '../route.ts'
import { ask, request } from '../rpc.ts'
import { type NodeView, useConsole } from '../state.ts'

const HISTORY_BLOCKS = 1_000
const HISTORY_COUNT = 50

interface TraceHit {
  readonly action: { readonly from: string; readonly to?: string; readonly value?: string }
  readonly blockNumber: number
  readonly transactionHash: string
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
        note={`calls to and from the address in the last ${count(HISTORY_BLOCKS)} blocks`}
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
            keyOf={({ transactionHash, traceAddress }) => `${transactionHash}/${traceAddress.join('.')}`}
            empty={history.isLoading ? 'Loading…' : 'No calls in these blocks.'}
          />
        )}
      </Panel>
    </>
  )
}

async function loadHistory(node: NodeView, address: string): Promise<readonly TraceHit[]> {
  const head = node.head ? toNumber(node.head.number) : 0
  const fromBlock = `0x${Math.max(0, head - HISTORY_BLOCKS + 1).toString(16)}`
  const range = { fromBlock, toBlock: `0x${head.toString(16)}`, count: HISTORY_COUNT }
  const [sent, received] = await Promise.all([
    request<TraceHit[]>(node.key, 'trace_filter', { ...range, fromAddress: [address] }),
    request<TraceHit[]>(node.key, 'trace_filter', { ...range, toAddress: [address] }),
  ])
  const keyOf = ({ transactionHash, traceAddress }: TraceHit): string =>
    `${transactionHash}/${traceAddress.join('.')}`
  const all = new Map([...sent, ...received].map((hit) => [keyOf(hit), hit]))
  return [...all.values()].sort((one, other) => other.blockNumber - one.blockNumber)
}
