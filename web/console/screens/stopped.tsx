import { useEffect } from 'preact/hooks'
import { findDifferences } from '../findings.ts'
import {
  ago,
  clockTime,
  count,
  duration,
  inWords,
  plural,
  toNumber,
  unbroken,
  withShortHashes,
} from '../format.ts'
import { Address, Badge, type Column, InTurn, Panel, Table, useWidth } from '../parts.tsx'
import { askOnce, type NodeView, state, useConsole } from '../state.ts'
import { type MessageKind, type RoundEvent, roundEvents } from '../timeline.ts'
import type { BftStatus, ValidatorStatus } from '../types.ts'
import { byName, NoValidators, nameOf, Reach, stalledMs, withNames } from './network.tsx'

/** Faster than elsewhere, so short rounds leave a trace. */
const WATCH_MS = 300
const SHOWN_MS = 60_000
const SHOWN_EVENTS = 50
const MAX_LANES = 20

/** One question at a time, or a slow node would hold every connection of the browser. Returns a function that ends it. */
function watch(node: NodeView): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const askAgain = async (): Promise<void> => {
    if (node.reach === 'reachable' && !document.hidden) await askOnce(node, false)
    if (!isOver) timer = setTimeout(askAgain, WATCH_MS)
  }
  timer = setTimeout(askAgain, WATCH_MS)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

export function StoppedScreen({ node }: { node: NodeView }) {
  useConsole()
  useEffect(() => watch(node), [node])
  const { bft } = node
  if (bft === undefined) {
    return (
      <Panel title="Why stopped">
        <NoValidators node={node} />
      </Panel>
    )
  }
  const findings = findDifferences(state.nodes)
  const validators = bft.validators.toSorted(byName)
  return (
    <>
      <h1 class="sr-only">Why stopped</h1>
      <Panel title="What each node says">
        <Table
          label="Sentences"
          columns={SENTENCES}
          rows={opinionsOf(state.nodes)}
          keyOf={({ nodes }) => String(nodes[0]!.key)}
          empty="No nodes."
          isStacked
        />
        {findings.length > 0 && (
          <ul class="findings inset">
            {findings.map(({ level, sentence, remedy }) => (
              <li key={sentence} class={level}>
                <span class="strong">{unbroken(sentence)}</span> {remedy}
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Quorum bft={bft} />
      <Panel title="Messages of this round" note={`as ${node.name} sees them`}>
        <Table
          label="Messages"
          columns={messageColumns(bft)}
          rows={validators}
          keyOf={({ address }) => address}
          empty="The validator set is empty."
        />
      </Panel>
      <InTurn>
        <Timeline validators={validators} />
      </InTurn>
    </>
  )
}

interface Opinion {
  readonly nodes: readonly NodeView[]
  readonly sentence: string
}

/** A hundred nodes that say the same are one row. */
function opinionsOf(nodes: readonly NodeView[]): readonly Opinion[] {
  const sentenceOf = ({ bft, why, refusals }: NodeView): string =>
    withShortHashes((bft && withNames(bft.cause)) ?? refusals.get('bft_status') ?? why)
  const groups = Map.groupBy(
    nodes,
    (node) => `${node.reach} ${stalledMs(node) === undefined} ${sentenceOf(node)}`,
  )
  return [...groups.values()].map((group) => ({ nodes: group, sentence: sentenceOf(group[0]!) }))
}

const SENTENCES: readonly Column<Opinion>[] = [
  {
    title: 'Node',
    cell: ({ nodes }) => (
      <span class="strong names">
        {partsOf(nodes.map(({ name }) => name)).flatMap((part) => [<span key={part}>{part}</span>, ' '])}
      </span>
    ),
  },
  { title: 'State', cell: ({ nodes }) => <Reach node={nodes[0]!} /> },
  { title: 'Sentence', cell: ({ sentence }) => <span class="wrap">{sentence}</span> },
]

const SHOWN_NAMES = 8

/** Names with their commas, and how many were left out. */
function partsOf(names: readonly string[]): readonly string[] {
  const more = names.length - SHOWN_NAMES
  const last = more > 0 ? [`and ${count(more)} others`] : names.length > 1 ? [`and ${names.at(-1)}`] : names
  const before = names.slice(0, more > 0 ? SHOWN_NAMES : -1)
  return [...before.map((name, at) => (at < before.length - 1 ? `${name},` : name)), ...last]
}

const someOf = (names: readonly string[]): string => partsOf(names).join(' ')

function Quorum({ bft }: { bft: BftStatus }) {
  const { quorum, round, stage, proposer, roundLeftMs, blockLeftMs } = bft
  const missing = bft.validators.filter(({ self, connected }) => !self && !connected).sort(byName)
  const short_ = quorum.needed - (quorum.validators - missing.length)
  return (
    <Panel
      title={`Block ${count(toNumber(bft.height))}, ${round === null ? 'not due yet' : `round ${round}`}`}
      note={inWords(stage)}
    >
      <div class="tiles inset">
        <Bar
          label="Prepares"
          value={quorum.prepares}
          needed={quorum.preparesNeeded}
          total={quorum.validators}
        />
        <Bar label="Commits" value={quorum.commits} needed={quorum.needed} total={quorum.validators} />
        <Bar
          label="Connected"
          value={quorum.validators - missing.length}
          needed={quorum.needed}
          total={quorum.validators}
        />
        <div class="tile">
          <span class="label">Timer</span>
          <span class="value">
            {roundLeftMs !== null
              ? duration(roundLeftMs)
              : blockLeftMs !== null
                ? duration(blockLeftMs)
                : 'none'}
          </span>
          <span class="note">
            {roundLeftMs !== null
              ? 'until the next round'
              : blockLeftMs !== null
                ? 'until the block is due'
                : 'no timer runs'}
          </span>
        </div>
        <div class="tile">
          <span class="label">Proposer</span>
          <span class="value small">
            <Address value={proposer} />
          </span>
          <span class="note">of this round</span>
        </div>
      </div>
      <p class="inset" id="missing">
        {missing.length === 0
          ? `All ${quorum.validators} validators are connected; ${quorum.needed} must commit.`
          : `${someOf(missing.map(({ address }) => nameOf(address)))} ${missing.length === 1 ? 'is' : 'are'} not connected. `}
        {missing.length > 0 &&
          (short_ > 0
            ? `The quorum misses ${plural(short_, 'validator')}: ${quorum.needed} of ${quorum.validators} are needed.`
            : `The quorum of ${quorum.needed} is still possible.`)}
      </p>
    </Panel>
  )
}

function Bar(props: { label: string; value: number; needed: number; total: number }) {
  const { label, value, needed, total } = props
  const percent = (part: number): string => `${(100 * part) / Math.max(1, total)}%`
  return (
    <div class="tile">
      <span class="label">{label}</span>
      <span class="value">{value}</span>
      <span class="note">
        {needed} of {total} needed
      </span>
      <span class={`bar ${value >= needed ? 'done' : ''}`} aria-hidden="true">
        <span style={{ width: percent(value) }} />
        <i style={{ left: percent(needed) }} />
      </span>
    </div>
  )
}

function messageColumns(bft: BftStatus): readonly Column<ValidatorStatus>[] {
  const nowMs = Date.parse(bft.time)
  const mark = (isDone: boolean) =>
    isDone ? <Badge level="good">received</Badge> : <span class="faint">–</span>
  return [
    {
      title: 'Validator',
      cell: ({ address }) => <Address value={address} />,
    },
    {
      title: 'Link',
      cell: ({ connected, self }) =>
        self ? (
          <Badge level="good">this node</Badge>
        ) : (
          <Badge level={connected ? 'good' : 'bad'}>{connected ? 'connected' : 'not connected'}</Badge>
        ),
    },
    {
      title: 'Proposal',
      cell: ({ proposed, address }) => (address === bft.proposer || proposed ? mark(proposed) : ''),
    },
    { title: 'Prepare', cell: ({ prepared }) => mark(prepared) },
    { title: 'Commit', cell: ({ committed }) => mark(committed) },
    {
      title: 'Round change',
      cell: ({ wantsRound }) =>
        wantsRound === null ? <span class="faint">–</span> : `to round ${wantsRound}`,
    },
    {
      title: 'Last message',
      isNumber: true,
      cell: ({ lastHeard, self }) =>
        self ? 'this node' : lastHeard ? ago(nowMs - Date.parse(lastHeard)) : 'never',
    },
  ]
}

const KINDS: readonly MessageKind[] = ['proposal', 'prepare', 'commit', 'round change']
const [LANE_PX, LEFT_PX, WIDTH_PX, NARROW_PX] = [26, 96, 900, 500]

/** All validators, or those with the fewest messages if not all fit. */
function lanesOf(
  validators: readonly ValidatorStatus[],
  events: ReadonlyMap<string, readonly RoundEvent[]>,
): readonly ValidatorStatus[] {
  if (validators.length <= MAX_LANES) return validators
  const messages = ({ address }: ValidatorStatus): number => events.get(address)?.length ?? 0
  return validators.toSorted((one, other) => messages(one) - messages(other)).slice(0, MAX_LANES)
}

function Timeline({ validators }: { validators: readonly ValidatorStatus[] }) {
  const [box, widthPx] = useWidth(WIDTH_PX)
  const nowMs = Date.now()
  const recent = roundEvents.filter(({ atMs }) => nowMs - atMs < SHOWN_MS)
  const byValidator = Map.groupBy(recent, ({ validator }) => validator)
  const lanes = lanesOf(validators, byValidator)
  const xOf = (atMs: number): number => LEFT_PX + (1 - (nowMs - atMs) / SHOWN_MS) * (widthPx - LEFT_PX - 10)
  const heightPx = lanes.length * LANE_PX + 24
  const columns: readonly Column<RoundEvent>[] = [
    { title: 'Time', cell: ({ atMs }) => <span class="mono">{clockTime(atMs)}</span> },
    { title: 'Block', isNumber: true, cell: ({ height }) => count(height) },
    { title: 'Round', isNumber: true, cell: ({ round }) => round },
    { title: 'Validator', cell: ({ validator }) => nameOf(validator) },
    { title: 'Message', cell: ({ kind }) => kind },
    { title: 'First seen by', isMinor: true, cell: ({ seenBy }) => seenBy.name },
  ]
  return (
    <Panel
      title="Timeline"
      note={`messages of the last 60 s, as this page saw them${lanes.length < validators.length ? `; the ${lanes.length} quietest of ${plural(validators.length, 'validator')}` : ''}`}
    >
      <figure class="timeline">
        <div ref={box} />
        <svg
          width={widthPx}
          height={heightPx}
          role="img"
          aria-label={`${plural(recent.length, 'message')} in the last 60 s`}
        >
          {lanes.map(({ address }, lane) => (
            <g key={address}>
              <line
                x1={LEFT_PX}
                x2={widthPx}
                y1={lane * LANE_PX + 14}
                y2={lane * LANE_PX + 14}
                class="lane"
              />
              <text x="0" y={lane * LANE_PX + 18}>
                {nameOf(address)}
              </text>
              {byValidator.get(address)?.map((event) => (
                <circle
                  key={`${event.height}/${event.round}/${event.kind}`}
                  cx={xOf(event.atMs)}
                  cy={lane * LANE_PX + 14}
                  r="4.5"
                  class={`kind-${KINDS.indexOf(event.kind)}`}
                >
                  <title>{`${event.kind}, block ${event.height}, round ${event.round}, ${clockTime(event.atMs)}`}</title>
                </circle>
              ))}
            </g>
          ))}
          {(widthPx < NARROW_PX ? [60, 30, 0] : [60, 45, 30, 15, 0]).map((seconds) => (
            <text
              key={seconds}
              x={xOf(nowMs - seconds * 1_000)}
              y={heightPx - 4}
              text-anchor={seconds === 0 ? 'end' : seconds === 60 ? 'start' : 'middle'}
              class="axis"
            >
              {seconds === 0 ? 'now' : `−${seconds} s`}
            </text>
          ))}
        </svg>
        <figcaption class="legend">
          {KINDS.map((kind, at) => (
            <span key={kind}>
              <i class={`kind-${at}`} /> {kind}
            </span>
          ))}
        </figcaption>
      </figure>
      <Table
        label="Events"
        columns={columns}
        rows={roundEvents.slice(-SHOWN_EVENTS).reverse()}
        keyOf={({ height, round, validator, kind }) => `${height}/${round}/${validator}/${kind}`}
        empty="No messages seen since this page was opened."
      />
    </Panel>
  )
}
