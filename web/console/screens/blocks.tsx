import { ago, count, dateTime, gas, gasPrice, plural, share, toNumber, wei } from '../format.ts'
import { Address, Empty, Facts, Hash, Panel, Problem, Table, useLoaded } from '../parts.tsx'
import { goTo, linkTo } from '../route.ts'
import { type Answer, ask, request } from '../rpc.ts'
import { type NodeView, useConsole } from '../state.ts'
import type { Block, Transaction } from '../types.ts'

const PAGE_BLOCKS = 25
const tagOf = (number: number): string => `0x${number.toString(16)}`

export function BlocksScreen({ node, before }: { node: NodeView; before: string | undefined }) {
  useConsole()
  const head = node.head ? toNumber(node.head.number) : undefined
  const asked = Number(before)
  const first =
    before === undefined || !Number.isSafeInteger(asked) || asked < 0 ? head : Math.min(asked, head ?? 0)
  const loaded = useLoaded(() => loadPage(node, first), [node.key, first])
  const isHead = first === head
  return (
    <Panel
      title="Blocks"
      note={head === undefined ? '' : plural(head + 1, 'block')}
      action={
        <nav class="pager" aria-label="Pages">
          <button type="button" disabled={isHead} onClick={() => goTo('blocks')}>
            Newest
          </button>
          <button
            type="button"
            disabled={isHead}
            onClick={() => goTo('blocks', { before: String(Math.min(first! + PAGE_BLOCKS, head!)) })}
          >
            Newer
          </button>
          <button
            type="button"
            disabled={first === undefined || first < PAGE_BLOCKS}
            onClick={() => goTo('blocks', { before: String(first! - PAGE_BLOCKS) })}
          >
            Older
          </button>
        </nav>
      }
    >
      {loaded.error && <Problem text={loaded.error} />}
      <Table
        label="Blocks"
        columns={[
          {
            title: 'Block',
            cell: ({ number }) => <a href={linkTo(`block/${toNumber(number)}`)}>{count(toNumber(number))}</a>,
          },
          {
            title: 'Age',
            isNumber: true,
            cell: ({ number, timestamp }) =>
              toNumber(number) === 0
                ? 'genesis'
                : ago(Date.now() + (node.clockMs ?? 0) - toNumber(timestamp) * 1_000),
          },
          {
            title: 'Transactions',
            isNumber: true,
            cell: ({ transactions }) => count(transactions?.length ?? 0),
          },
          {
            title: 'Gas used',
            isNumber: true,
            cell: ({ gasUsed, gasLimit }) =>
              gasUsed === '0x0'
                ? '0 gas'
                : `${gas(gasUsed)} (${share(toNumber(gasUsed), toNumber(gasLimit))})`,
          },
          {
            title: 'Proposer',
            isMinor: true,
            cell: ({ number, miner }) => (number === '0x0' ? '–' : <Address value={miner} />),
          },
          { title: 'Hash', isMinor: true, cell: ({ hash }) => <Hash value={hash} head={10} /> },
        ]}
        rows={loaded.value ?? []}
        keyOf={({ hash }) => hash}
        empty={loaded.isLoading ? 'Loading…' : 'No blocks.'}
      />
    </Panel>
  )
}

const pages = new Map<string, Block>()
const MAX_KEPT = 500

/** Blocks of a chain with finality do not change, so they are asked once; a development chain can be rewound. */
async function loadPage(node: NodeView, first: number | undefined): Promise<readonly Block[]> {
  if (first === undefined) return []
  if (node.bft === undefined) pages.clear()
  const numbers = Array.from({ length: Math.min(PAGE_BLOCKS, first + 1) }, (_, at) => first - at)
  const keyOf = (number: number): string => `${node.key}/${number}`
  const missing = numbers.filter((number) => !pages.has(keyOf(number)))
  const answers =
    missing.length === 0
      ? []
      : await ask(
          node.key,
          missing.map((number) => ({ method: 'eth_getBlockByNumber', params: [tagOf(number), false] })),
        )
  answers.forEach((answer: Answer, at) => {
    if (answer.ok && answer.result !== null) pages.set(keyOf(missing[at]!), answer.result as Block)
    else if (!answer.ok) throw new Error(answer.message)
  })
  const found = numbers.flatMap((number) => pages.get(keyOf(number)) ?? [])
  for (const key of pages.keys()) if (pages.size > MAX_KEPT) pages.delete(key)
  return found
}

export function BlockScreen({ node, id }: { node: NodeView; id: string }) {
  useConsole()
  const loaded = useLoaded(async () => {
    const isHash = id.startsWith('0x') && id.length === 66
    const method = isHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
    const known = /^\d+$/.test(id) ? tagOf(Number(id)) : id
    return await request<Block | null>(node.key, method, known, true)
  }, [node.key, id])
  if (loaded.error) return <Problem text={loaded.error} />
  if (loaded.isLoading && loaded.value === undefined) return <Empty title="Loading…" />
  const block = loaded.value
  if (!block)
    return (
      <Empty title={`There is no block ${id}`}>
        The node has not reached it, or the hash is of another chain.
      </Empty>
    )
  const number = toNumber(block.number)
  return (
    <>
      <Panel
        title={`Block ${count(number)}`}
        action={
          <nav class="pager" aria-label="Neighbours">
            <button type="button" disabled={number === 0} onClick={() => goTo(`block/${number - 1}`)}>
              Previous
            </button>
            <button
              type="button"
              disabled={node.head !== undefined && number >= toNumber(node.head.number)}
              onClick={() => goTo(`block/${number + 1}`)}
            >
              Next
            </button>
          </nav>
        }
      >
        <Facts
          rows={[
            ['Hash', <Hash value={block.hash} head={18} />],
            ['Parent', <Hash value={block.parentHash} link={`block/${block.parentHash}`} head={18} />],
            ['Time', dateTime(toNumber(block.timestamp))],
            ['Proposer', <Address value={block.miner} />],
            ['Gas', `${count(BigInt(block.gasUsed))} of ${gas(block.gasLimit)}`],
            ['Base fee', block.baseFeePerGas === undefined ? 'none' : gasPrice(block.baseFeePerGas)],
            ['Size', block.size === undefined ? '–' : `${count(toNumber(block.size))} bytes`],
            ['State root', <Hash value={block.stateRoot} head={18} />],
          ]}
        />
      </Panel>
      <Panel title="Transactions" note={plural(block.transactions?.length ?? 0, 'transaction')}>
        <TransactionTable
          rows={(block.transactions ?? []) as Transaction[]}
          empty="This block has no transactions."
        />
      </Panel>
    </>
  )
}

export function TransactionTable({ rows, empty }: { rows: readonly Transaction[]; empty: string }) {
  return (
    <Table
      label="Transactions"
      columns={[
        { title: 'Transaction', cell: ({ hash }) => <Hash value={hash} link={`tx/${hash}`} head={10} /> },
        { title: 'From', cell: ({ from }) => <Address value={from} /> },
        { title: 'To', cell: ({ to }) => (to === null ? 'new contract' : <Address value={to} />) },
        { title: 'Nonce', isNumber: true, isMinor: true, cell: ({ nonce }) => count(toNumber(nonce)) },
        { title: 'Value', isNumber: true, cell: ({ value }) => wei(value) },
        { title: 'Gas limit', isNumber: true, isMinor: true, cell: ({ gas: limit }) => gas(limit) },
      ]}
      rows={rows}
      keyOf={({ hash }) => hash}
      empty={empty}
    />
  )
}
