import { useState } from 'preact/hooks'
import { count, gas, plural, short, toNumber, wei, wholeSeconds } from '../format.ts'
import { Address, Badge, Empty, Hash, LongList, Panel, Problem, useLoaded } from '../parts.tsx'
import { goTo, linkTo, type Route } from '../route.ts'
import { request } from '../rpc.ts'
import { type NodeView, useConsole } from '../state.ts'
import type { Explanation, Transaction } from '../types.ts'

type Lines = Readonly<Record<string, Readonly<Record<string, string>>>>

interface Inspected {
  readonly pending: Lines
  readonly queued: Lines
}

interface PoolRow {
  readonly sender: string
  readonly nonce: number
  readonly state: 'pending' | 'queued'
  readonly hash: string
  /** Made when the row is shown: ten thousand at once would delay a frame. */
  readonly terms: () => Terms
}

interface Terms {
  readonly to: string | null
  readonly value: string
  readonly gasLimit: string
  readonly gasPrice: string
}

const FIELDS = ['from', 'to', 'gas', 'gasPrice', 'value', 'nonce'] as const
const OPERATORS = { eq: 'equals', gt: 'is more than', lt: 'is less than', action: 'action' } as const
const FILTER_LIMIT = 1_000
const HASH_CHARACTERS = 66
const REFRESH_MS = 2_000
/** A full pool is megabytes of text, so it is read less often. */
const LARGE_POOL = 2_000
const LARGE_REFRESH_MS = 5_000

export function PoolScreen({ node, route }: { node: NodeView; route: Route }) {
  const { headAtMs } = useConsole()
  const filter = readFilter(route.query.get('filter'))
  const sender = route.query.get('sender')
  const pending = node.pool ? toNumber(node.pool.pending) : 0
  const queued = node.pool ? toNumber(node.pool.queued) : 0
  const refreshMs = pending + queued > LARGE_POOL ? LARGE_REFRESH_MS : REFRESH_MS
  const turn = Math.floor(Math.max(headAtMs, Date.now()) / refreshMs)
  const loaded = useLoaded(() => loadRows(node, filter), [node.key, JSON.stringify(filter), turn])
  const all = loaded.value ?? []
  const rows = sender === undefined ? all : all.filter((row) => row.sender === sender)
  return (
    <>
      <Panel title="Pool" note={`${plural(pending, 'transaction')} pending, ${count(queued)} queued`}>
        <FilterBuilder filter={filter} />
        {sender !== undefined && (
          <p class="inset">
            Sender <Hash value={sender} head={10} />{' '}
            <a href={linkTo('pool', { filter: route.query.get('filter') })}>Show all senders</a>
          </p>
        )}
        {loaded.error && <Problem text={loaded.error} />}
        {rows.length === 0 && !loaded.error ? (
          <Empty
            title={
              loaded.isLoading && loaded.value === undefined
                ? 'Loading…'
                : filter
                  ? 'No transaction matches'
                  : 'The pool is empty'
            }
          >
            Transactions appear here until a block includes them.
          </Empty>
        ) : (
          <LongList
            label="Transactions of the pool"
            class="pool-list"
            rows={rows}
            keyOf={(row) => `${row.sender}/${row.nonce}`}
            row={(row) => <PoolLine row={row} node={node} query={route} />}
          />
        )}
      </Panel>
      <Explained node={node} route={route} rows={loaded.value} />
    </>
  )
}

interface Filter {
  readonly field: (typeof FIELDS)[number]
  readonly operator: keyof typeof OPERATORS
  readonly value: string
}

function readFilter(text: string | undefined): Filter | undefined {
  const [field, operator, ...rest] = (text ?? '').split(' ')
  if (!FIELDS.includes(field as Filter['field']) || operator === undefined || !(operator in OPERATORS))
    return undefined
  return { field: field as Filter['field'], operator: operator as Filter['operator'], value: rest.join(' ') }
}

async function loadRows(node: NodeView, filter: Filter | undefined): Promise<readonly PoolRow[]> {
  if (filter === undefined) {
    const { pending, queued } = await request<Inspected>(node.key, 'txpool_inspect')
    return [...rowsOf(pending, 'pending'), ...rowsOf(queued, 'queued')]
  }
  const { field, operator, value } = filter
  const found = await request<Transaction[]>(node.key, 'txpool_clientPendingTransactions', FILTER_LIMIT, {
    [field]: { [operator]: value },
  })
  return found.map(({ from, nonce, hash, to, value: amount, gas: limit, gasPrice: price }) => ({
    sender: from,
    nonce: toNumber(nonce),
    state: 'pending',
    hash,
    terms: () => ({ to, value: wei(amount), gasLimit: gas(limit), gasPrice: wei(price ?? '0x0') }),
  }))
}

function rowsOf(lines: Lines, state: PoolRow['state']): PoolRow[] {
  return Object.entries(lines).flatMap(([sender, byNonce]) =>
    Object.entries(byNonce).map(([nonce, text]) => {
      const at = text.indexOf('={') - HASH_CHARACTERS
      return {
        sender,
        nonce: Number(nonce),
        state,
        hash: text.slice(at, at + HASH_CHARACTERS),
        terms: () => readTerms(text),
      }
    }),
  )
}

/** Of `{…, <hash>={MessageCall, 2, <sender>, FRONTIER, gp: 1.00 gwei, gl: 21000, v: 1 wei, to: 0x…}}`. */
function readTerms(line: string): Terms {
  const read = (name: string): string | undefined => new RegExp(`[ {]${name}: ([^,}]{1,80})`).exec(line)?.[1]
  const limit = read('gl') ?? ''
  return {
    to: read('to') ?? null,
    value: inUsualUnits(read('v')),
    gasLimit: /^\d+$/.test(limit) ? `${count(BigInt(limit))} gas` : '–',
    gasPrice: inUsualUnits(read('gp') ?? read('mf')),
  }
}

/** Units of `txpool_inspect`, each a thousand of the one before. */
const UNITS = [
  'wei',
  'kwei',
  'mwei',
  'gwei',
  'szabo',
  'finney',
  'ether',
  'kether',
  'mether',
  'gether',
  'tether',
]

/** `1.50 gwei` as the rest of the page writes it. */
function inUsualUnits(text = '–'): string {
  const [, whole, decimals = '', unit = ''] = /^(\d{1,60})(?:\.(\d\d))? ([a-z]+)$/.exec(text) ?? []
  const power = UNITS.indexOf(unit)
  if (whole === undefined || power < 0 || (power === 0 && decimals !== '')) return text
  return wei(
    power === 0 ? BigInt(whole) : BigInt(`${whole}${decimals || '00'}`) * 10n ** BigInt(3 * power - 2),
  )
}

function PoolLine({ row, node, query }: { row: PoolRow; node: NodeView; query: Route }) {
  const { sender, nonce, state } = row
  const { to, value, gasLimit, gasPrice } = row.terms()
  const kept = { filter: query.query.get('filter'), node: node.name }
  return (
    <>
      <Badge level={state === 'pending' ? 'good' : 'warn'}>{state}</Badge>
      <a class="mono" href={linkTo('pool', { ...kept, sender })} title={sender}>
        {short(sender)}
      </a>
      <span class="number faint">nonce {count(nonce)}</span>
      <span class="mono minor" title={to ?? ''}>
        {to === null ? 'new contract' : `to ${short(to)}`}
      </span>
      <span class="number minor">{value}</span>
      <span class="number minor">{gasLimit}</span>
      <span class="number minor">{gasPrice}</span>
      <a href={linkTo('pool', { ...kept, sender, nonce: String(nonce) })}>Why?</a>
    </>
  )
}

/** The explanation of one transaction: the chosen one, or the first queued one of the chosen sender. */
function Explained(props: { node: NodeView; route: Route; rows: readonly PoolRow[] | undefined }) {
  const { node, route, rows } = props
  const sender = route.query.get('sender')
  const nonce = route.query.get('nonce')
  const own = rows?.filter((row) => row.sender === sender) ?? []
  const chosen =
    nonce === undefined
      ? (own.find(({ state }) => state === 'queued') ?? own[0])
      : own.find((row) => String(row.nonce) === nonce)
  const loaded = useLoaded(
    async () =>
      chosen === undefined
        ? null
        : await request<Explanation | null>(node.key, 'txpool_explain', chosen.hash),
    [node.key, chosen?.hash, node.head?.number],
  )
  if (sender === undefined) {
    return (
      <Panel title="Why a transaction waits">
        <Empty title="Choose a transaction">“Why?” asks the pool, and the answer appears here.</Empty>
      </Panel>
    )
  }
  const { value, error } = loaded
  return (
    <Panel title="Why a transaction waits">
      {error && <Problem text={error} />}
      {value === undefined || rows === undefined ? (
        !error && <Empty title="Loading…" />
      ) : (
        <div class="inset" id="explanation">
          <p class="cause">
            {value?.sentence ?? 'The pool does not know it any more: it was included or dropped.'}
          </p>
          <p class="note">
            Sender <Address value={sender} />
            {chosen && (
              <>
                {' '}
                · nonce {count(chosen.nonce)} ·{' '}
                <Hash value={chosen.hash} link={`tx/${chosen.hash}`} head={10} />
              </>
            )}
            {value?.since && (
              <> · for {wholeSeconds(Date.now() + (node.clockMs ?? 0) - Date.parse(value.since))}</>
            )}
            {value && (
              <>
                {' '}
                · {value.state}, {value.reason}
              </>
            )}
          </p>
        </div>
      )}
    </Panel>
  )
}

function FilterBuilder({ filter }: { filter: Filter | undefined }) {
  const [field, setField] = useState<string>(filter?.field ?? 'from')
  const [operator, setOperator] = useState<string>(filter?.operator ?? 'eq')
  const [value, setValue] = useState(filter?.value ?? '')
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    goTo('pool', { filter: value.trim() === '' ? undefined : `${field} ${operator} ${value.trim()}` })
  }
  return (
    <form class="filter inset" onSubmit={onSubmit}>
      <select aria-label="Field" value={field} onChange={(event) => setField(event.currentTarget.value)}>
        {FIELDS.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <select
        aria-label="Operator"
        value={operator}
        onChange={(event) => setOperator(event.currentTarget.value)}
      >
        {Object.entries(OPERATORS).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      <input
        aria-label="Value"
        placeholder="0x… value"
        value={value}
        onInput={(event) => setValue(event.currentTarget.value)}
      />
      <button type="submit">Filter</button>
      {filter && (
        <button type="button" class="quiet" onClick={() => goTo('pool')}>
          Clear
        </button>
      )}
    </form>
  )
}
