import {
  clockOffsets,
  configOf,
  type Finding,
  findDifferences,
  genesisOf,
  isClockWrong,
  mostOf,
} from '../findings.ts'
import { ago, count, duration, offset, plural, short, toNumber, unbroken } from '../format.ts'
import { Address, Badge, type Column, Empty, Hash, InTurn, Panel, Table, useLoaded } from '../parts.tsx'
import { linkTo } from '../route.ts'
import { request } from '../rpc.ts'
import { type NodeView, state, useConsole } from '../state.ts'
import type { BftStatus, Block, Participation, ValidatorStatus } from '../types.ts'
import { LinkMap } from './link-map.tsx'

/** A chain without a block for this many periods has stopped. */
const STALL_PERIODS = 5
const STALL_MIN_MS = 10_000
/** More do not fit on a screen. */
const MAX_FINDINGS = 8

export function NetworkScreen() {
  const { nodes } = useConsole()
  const self = nodes[0]!
  const findings = findDifferences(nodes)
  return (
    <>
      <h1 class="sr-only">Network</h1>
      <Verdict node={self} findings={findings} />
      <Tiles node={self} />
      <InTurn>
        <ValidatorsPanel node={self} />
      </InTurn>
      <div class="columns">
        <Panel title="Nodes" note="what each node believes">
          <InTurn>
            <NodesTable nodes={nodes} />
          </InTurn>
        </Panel>
        <Panel title="Peer links">
          <LinkMap nodes={nodes} />
        </Panel>
      </div>
    </>
  )
}

/** The sentence with names in place of known addresses. */
export const withNames = (sentence: string): string => unbroken(sentence.replace(/0x[\da-f]{40}/g, nameOf))

export const nameOf = (address: string): string => state.validatorNames.get(address) ?? short(address)

export function stalledMs(node: NodeView): number | undefined {
  const ageMs = headAgeMs(node)
  if (ageMs === undefined) return undefined
  return ageMs > Math.max(STALL_MIN_MS, STALL_PERIODS * periodMsOf(node)) ? ageMs : undefined
}

/** By the median clock of all nodes: with a wrong clock, a stalled node would look busy, or a busy one stalled. */
function headAgeMs(node: NodeView): number | undefined {
  const { head, bft } = node
  if (head === undefined || bft === undefined) return undefined
  const offsetMs = clockOffsets(state.nodes).get(node) ?? 0
  return Date.parse(bft.time) - offsetMs - toNumber(head.timestamp) * 1_000
}

function periodMsOf({ info }: NodeView): number {
  const config = info?.protocols.eth.config as
    | Readonly<Record<string, { readonly blockPeriodSeconds?: number }>>
    | undefined
  return (config?.qbft?.blockPeriodSeconds ?? config?.ibft2?.blockPeriodSeconds ?? 1) * 1_000
}

function Verdict({ node, findings }: { node: NodeView; findings: readonly Finding[] }) {
  const ageMs = stalledMs(node)
  const level =
    ageMs !== undefined || node.reach === 'unreachable' ? 'bad' : findings.length > 0 ? 'warn' : 'good'
  const title =
    node.reach === 'unreachable'
      ? 'The node that serves this console does not answer'
      : node.refusals.has('bft_status')
        ? 'The node is running'
        : ageMs === undefined
          ? 'The network produces blocks'
          : node.head?.number === '0x0'
            ? 'No block since the genesis block'
            : `No block for ${duration(ageMs)}`
  return (
    <section class={`verdict ${level}`} aria-label="Verdict">
      <div class="verdict-head">
        <h2>{title}</h2>
        {ageMs !== undefined && <a href={linkTo('stopped')}>See the rounds</a>}
      </div>
      <p class="cause" id="cause">
        {(node.bft && withNames(node.bft.cause)) ??
          (node.refusals.has('bft_status') ? whyNoStatus(node) : node.why || 'Waiting for the first answer.')}
      </p>
      {findings.length > 0 && (
        <ul class="findings" id="findings">
          {findings.slice(0, MAX_FINDINGS).map(({ level: each, node: name, sentence, remedy }) => (
            <li key={`${name}${sentence}`} class={each}>
              <span class="strong">{unbroken(sentence)}</span> {remedy}
            </li>
          ))}
          {findings.length > MAX_FINDINGS && (
            <li>{plural(findings.length - MAX_FINDINGS, 'further finding')}; the table of nodes has all.</li>
          )}
        </ul>
      )}
    </section>
  )
}

function Tiles({ node }: { node: NodeView }) {
  const { head, bft, pool, peers } = node
  const ageMs = headAgeMs(node)
  const number = head ? toNumber(head.number) : undefined
  const interval = useLoaded(
    () => averageInterval(node, number),
    [node.key, number && (number > INTERVAL_BLOCKS ? Math.floor(number / 5) : number)],
  )
  return (
    <div class="tiles">
      <Tile
        label="Head block"
        value={number === undefined ? '–' : count(number)}
        note={number === 0 ? 'the genesis block' : ageMs === undefined ? '' : ago(ageMs)}
      />
      <Tile
        label="Block interval"
        value={interval.value === undefined ? '–' : duration(interval.value)}
        note={
          interval.value === undefined
            ? 'no two blocks yet'
            : `average of ${plural(Math.min(INTERVAL_BLOCKS, (number ?? 1) - 1), 'block')}`
        }
      />
      {bft && (
        <Tile
          label="Quorum"
          value={`${bft.quorum.needed} of ${bft.quorum.validators}`}
          note={`${plural(bft.quorum.tolerated, 'validator')} may fail`}
        />
      )}
      <Tile
        label="Transactions in the pool"
        value={pool ? count(toNumber(pool.pending)) : '–'}
        note={pool ? `pending, ${count(toNumber(pool.queued))} queued` : ''}
      />
      <Tile label="Peers" value={peers ? count(peers.length) : '–'} note={`connected to ${node.name}`} />
    </div>
  )
}

function Tile({ label, value, note }: { label: string; value: string; note: string }) {
  return (
    <div class="tile">
      <span class="label">{label}</span>
      <span class="value">{value}</span>
      <span class="note">{note}</span>
    </div>
  )
}

const INTERVAL_BLOCKS = 20

async function averageInterval(node: NodeView, number: number | undefined): Promise<number | undefined> {
  if (number === undefined || node.head === undefined) return undefined
  const blocks = Math.min(INTERVAL_BLOCKS, number - 1)
  if (blocks < 1) return undefined
  const tag = `0x${(number - blocks).toString(16)}`
  const first = await request<Block | null>(node.key, 'eth_getBlockByNumber', tag, false)
  if (first === null) return undefined
  return ((toNumber(node.head.timestamp) - toNumber(first.timestamp)) * 1_000) / blocks
}

/** Nodes refuse `bft_status` on every other network with this message. */
const NOT_ENABLED = 'Method not enabled'

function whyNoStatus({ refusals }: NodeView): string {
  const refusal = refusals.get('bft_status')
  return refusal === undefined || refusal === NOT_ENABLED
    ? 'bft_status is for networks of QBFT and IBFT 2.0 validators. A development chain makes its blocks alone.'
    : refusal
}

/** In place of the answers of `bft_status`. */
export function NoValidators({ node }: { node: NodeView }) {
  if (node.reach !== 'reachable') return <Empty title={node.why || 'Loading…'} />
  return <Empty title="No validators are known">{whyNoStatus(node)}</Empty>
}

interface ValidatorRow extends ValidatorStatus {
  readonly connectedTo: number
  readonly reporting: number
  readonly deeds: Participation | undefined
}

function ValidatorsPanel({ node }: { node: NodeView }) {
  const { bft } = node
  const number = node.head ? toNumber(node.head.number) : undefined
  const participation = useLoaded(
    async () => (bft === undefined ? [] : await request<Participation[]>(node.key, 'bft_participation')),
    [node.key, bft !== undefined, number],
  )
  if (bft === undefined) {
    return (
      <Panel title="Validators">
        <NoValidators node={node} />
      </Panel>
    )
  }
  const rows = validatorRows(bft, participation.value ?? [])
  return (
    <Panel
      title="Validators"
      note={
        participation.value === undefined
          ? (participation.error ?? 'Loading…')
          : `${bft.quorum.heard} of ${bft.quorum.validators} heard at block ${count(toNumber(bft.height))}`
      }
    >
      <Table
        label="Validators"
        columns={validatorColumns(bft)}
        rows={rows}
        keyOf={({ address }) => address}
        empty="The validator set is empty."
        levelOf={({ connectedTo, reporting }) => (reporting > 0 && connectedTo === 0 ? 'bad' : undefined)}
      />
    </Panel>
  )
}

/** `validator-2` before `validator-10`. */
const inOrder = new Intl.Collator('en', { numeric: true })

export const byName = (one: { readonly address: string }, other: { readonly address: string }): number =>
  inOrder.compare(nameOf(one.address), nameOf(other.address))

/** Validators that the fewest nodes are connected to come first. */
function validatorRows(bft: BftStatus, participation: readonly Participation[]): readonly ValidatorRow[] {
  const reports = new Map<string, { connectedTo: number; reporting: number }>()
  for (const { address, self, connected } of state.nodes.flatMap((node) => node.bft?.validators ?? [])) {
    if (self) continue
    const { connectedTo, reporting } = reports.get(address) ?? { connectedTo: 0, reporting: 0 }
    reports.set(address, { connectedTo: connectedTo + (connected ? 1 : 0), reporting: reporting + 1 })
  }
  const deedsOf = new Map(participation.map((each) => [each.address, each]))
  const rows = bft.validators.map((validator) => ({
    ...validator,
    connectedTo: 0,
    reporting: 0,
    ...reports.get(validator.address),
    deeds: deedsOf.get(validator.address),
  }))
  return rows.sort((one, other) => missingLinks(other) - missingLinks(one) || byName(one, other))
}

const missingLinks = ({ connectedTo, reporting }: ValidatorRow): number => reporting - connectedTo

function validatorColumns(bft: BftStatus): readonly Column<ValidatorRow>[] {
  const nowMs = Date.parse(bft.time)
  return [
    {
      title: 'Validator',
      cell: ({ address }) => <Address value={address} />,
    },
    { title: 'Connected to', cell: (row) => <Connectivity row={row} /> },
    {
      title: 'This block',
      isMinor: true,
      cell: ({ proposed, prepared, committed, address }) => (
        <span class="steps">
          <Step isDone={proposed} label="proposed" isQuiet={address !== bft.proposer} />
          <Step isDone={prepared} label="prepared" />
          <Step isDone={committed} label="committed" />
        </span>
      ),
    },
    {
      title: 'Last message',
      isNumber: true,
      cell: ({ lastHeard, self }) =>
        self ? 'this node' : lastHeard ? ago(nowMs - Date.parse(lastHeard)) : 'never',
    },
    {
      title: 'Last proposal',
      isNumber: true,
      cell: ({ deeds }) => <BlockLink number={deeds?.lastProposal} />,
    },
    { title: 'Last seal', isNumber: true, cell: ({ deeds }) => <BlockLink number={deeds?.lastSeal} /> },
    {
      title: 'Missed, last 100 blocks',
      isNumber: true,
      cell: ({ deeds }) =>
        deeds === undefined ? (
          '–'
        ) : (
          <span class={deeds.missedRounds > 0 ? 'warn-text' : ''}>{plural(deeds.missedRounds, 'round')}</span>
        ),
    },
    {
      title: 'Wants round',
      isNumber: true,
      isMinor: true,
      cell: ({ wantsRound }) => (wantsRound === null ? '–' : `round ${wantsRound}`),
    },
  ]
}

function BlockLink({ number }: { number: string | null | undefined }) {
  if (number === null || number === undefined) return <>–</>
  return <a href={linkTo(`block/${toNumber(number)}`)}>block {count(toNumber(number))}</a>
}

function Connectivity({ row: { connectedTo, reporting } }: { row: ValidatorRow }) {
  if (reporting === 0) return <Badge level="idle">no report</Badge>
  const level = connectedTo === reporting ? 'good' : connectedTo === 0 ? 'bad' : 'warn'
  return (
    <Badge level={level}>
      {connectedTo} of {plural(reporting, 'node')}
    </Badge>
  )
}

function Step({ isDone, label, isQuiet }: { isDone: boolean; label: string; isQuiet?: boolean }) {
  return (
    <span
      class={`step ${isDone ? 'done' : ''} ${isQuiet ? 'quiet' : ''}`}
      title={`${label}: ${isDone ? 'yes' : 'no'}`}
    >
      {label[0]!.toUpperCase()}
      <span class="sr-only">{`${label.slice(1)}: ${isDone ? 'yes' : 'no'}`}</span>
    </span>
  )
}

function NodesTable({ nodes }: { nodes: readonly NodeView[] }) {
  const offsets = clockOffsets(nodes)
  const genesis = mostOf(nodes, genesisOf)
  const config = mostOf(nodes, configOf)
  const highest = Math.max(0, ...nodes.map(({ head }) => (head ? toNumber(head.number) : 0)))
  const columns: readonly Column<NodeView>[] = [
    {
      title: 'Node',
      cell: (node) => (
        <a class="strong" href={linkTo('node', { node: node.name })}>
          {node.name}
        </a>
      ),
    },
    { title: 'State', cell: (node) => <Reach node={node} /> },
    {
      title: 'Head',
      isNumber: true,
      cell: ({ head }) => {
        if (head === undefined) return '–'
        const behind = highest - toNumber(head.number)
        return `${count(toNumber(head.number))}${behind > 0 ? ` (−${count(behind)})` : ''}`
      },
    },
    { title: 'Peers', isNumber: true, cell: ({ peers }) => (peers ? count(peers.length) : '–') },
    {
      title: 'Clock',
      isNumber: true,
      cell: (node) => {
        const ms = offsets.get(node)
        if (ms === undefined) return '–'
        return <span class={isClockWrong(node, ms) ? 'bad-text' : ''}>{offset(ms)}</span>
      },
    },
    {
      title: 'Genesis',
      cell: (node) => <Compared value={genesisOf(node)} most={genesis} />,
    },
    { title: 'Config', isMinor: true, cell: (node) => <Compared value={configOf(node)} most={config} /> },
    { title: 'Version', isMinor: true, cell: ({ version }) => version?.split('/')[1] ?? '–' },
  ]
  return (
    <Table
      label="Nodes"
      columns={columns}
      rows={nodes}
      keyOf={({ key }) => String(key)}
      empty="No nodes."
      levelOf={({ reach }) => (reach === 'unreachable' ? 'bad' : undefined)}
    />
  )
}

function Compared({ value, most }: { value: string | undefined; most: string | undefined }) {
  if (value === undefined) return <>–</>
  return (
    <span class={value === most ? '' : 'bad-text'}>
      <Hash value={value} />
    </span>
  )
}

export function Reach({ node }: { node: NodeView }) {
  const { reach, why } = node
  if (reach === 'waiting') return <Badge level="idle">asking</Badge>
  if (reach === 'unauthorized') return <Badge level="warn">not signed in</Badge>
  if (reach === 'slow' || reach === 'unreachable') {
    return (
      <span title={why}>
        <Badge level={reach === 'slow' ? 'warn' : 'bad'}>{reach}</Badge>
      </span>
    )
  }
  const ageMs = stalledMs(node)
  return ageMs === undefined ? (
    <Badge level="good">running</Badge>
  ) : (
    <Badge level="warn">{node.head?.number === '0x0' ? 'no block yet' : `stalled ${duration(ageMs)}`}</Badge>
  )
}
