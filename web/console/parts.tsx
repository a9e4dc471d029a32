/** The parts of every screen. Text from the chain reaches the document only as text nodes. */
import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { count, short, shortEnode } from './format.ts'
import { linkTo } from './route.ts'
import { nodeWithId, state } from './state.ts'
import { inTurn } from './turns.ts'

type Level = 'good' | 'warn' | 'bad' | 'idle'

export function Badge({ level, children }: { level: Level; children: ComponentChildren }) {
  return (
    <span class={`badge ${level}`}>
      <span class="dot" aria-hidden="true" />
      {children}
    </span>
  )
}

export function Panel(props: {
  title: string
  note?: ComponentChildren
  action?: ComponentChildren
  class?: string
  children: ComponentChildren
}) {
  return (
    <section class={`panel ${props.class ?? ''}`}>
      <header>
        <h2>{props.title}</h2>
        {props.note && <p class="note">{props.note}</p>}
        {props.action && <div class="actions">{props.action}</div>}
      </header>
      {props.children}
    </section>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="strong">{title}</p>
      {children && <p>{children}</p>}
    </div>
  )
}

const COPIED_MS = 1_200
const TICK = 'M3 8.5l3.5 3.5L13 4.5'
const TWO_SHEETS = 'M6 5.5h7.5v8H6zM3 10.5H2.5v-8H10V3'

/** A short form of a long value: the complete value on hover, and one click copies it. */
export function Hash(props: { value: string; link?: string; head?: number; text?: string }) {
  const { value, link, head = 6 } = props
  const [isCopied, setCopied] = useState(false)
  const copy = (): void => {
    void copyText(value).then(() => {
      setCopied(true)
      setTimeout(() => setCopied(false), COPIED_MS)
    })
  }
  const text = props.text ?? short(value, head)
  return (
    <span class="hash" title={value}>
      {link === undefined ? <span>{text}</span> : <a href={linkTo(link)}>{text}</a>}
      <button type="button" class="copy" onClick={copy} aria-label={isCopied ? 'Copied' : `Copy ${value}`}>
        {/* Drawn, because many fonts lack such characters. */}
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d={isCopied ? TICK : TWO_SHEETS} />
        </svg>
      </button>
    </span>
  )
}

/** The clipboard interface exists only in secure contexts. */
async function copyText(value: string): Promise<void> {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(value)
  const area = document.createElement('textarea')
  area.value = value
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

const Named = ({ name, children }: { name: string | undefined; children: ComponentChildren }) => (
  <span class="who">
    {name !== undefined && <span class="strong">{name}</span>}
    {children}
  </span>
)

/** With the name of the node, if the console shows it. */
export const EnodeUrl = ({ value }: { value: string }) => (
  <Named name={nodeWithId(/^enode:\/\/([\da-f]+)@/i.exec(value)?.[1])?.name}>
    <Hash value={value} text={shortEnode(value)} />
  </Named>
)

/** With the name of the validator, if a node of the console has this address. */
export const Address = ({ value }: { value: string }) => (
  <Named name={state.validatorNames.get(value)}>
    <Hash value={value} link={`address/${value}`} />
  </Named>
)

export interface Column<Row> {
  readonly title: string
  readonly isNumber?: boolean
  /** Hidden on narrow screens. */
  readonly isMinor?: boolean
  readonly cell: (row: Row) => ComponentChildren
}

const PAGE_ROWS = 25

/** Shows long tables in pages, so a hundred validators or a full block do not delay a frame. */
export function Table<Row>(props: {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  empty: string
  levelOf?: (row: Row) => Level | undefined
  /** On narrow screens the last column is below the others, because it has sentences or buttons. */
  isStacked?: boolean
}) {
  const { columns, keyOf, levelOf, isStacked } = props
  const [page, setPage] = useState(0)
  if (props.rows.length === 0) return <Empty title={props.empty} />
  const last = Math.ceil(props.rows.length / PAGE_ROWS) - 1
  const at = Math.min(page, last)
  const rows = props.rows.slice(at * PAGE_ROWS, (at + 1) * PAGE_ROWS)
  const classOf = ({ isNumber, isMinor }: Column<Row>): string =>
    `${isNumber ? 'number' : ''} ${isMinor ? 'minor' : ''}`
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <section class="scroll" tabIndex={0} aria-label={props.label}>
        <table class={isStacked ? 'stacked' : ''}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.title} scope="col" class={classOf(column)}>
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)} class={levelOf?.(row) ?? ''}>
                {columns.map((column) => (
                  <td key={column.title} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {last > 0 && (
        <nav class="pager table-pager" aria-label={`Pages of ${props.label}`}>
          <span class="note">
            {count(at * PAGE_ROWS + 1)} to {count(at * PAGE_ROWS + rows.length)} of {count(props.rows.length)}
          </span>
          <button type="button" disabled={at === 0} onClick={() => setPage(at - 1)}>
            Previous
          </button>
          <button type="button" disabled={at === last} onClick={() => setPage(at + 1)}>
            Next
          </button>
        </nav>
      )}
    </>
  )
}

const ROW_PX = 36
const EXTRA_ROWS = 8

/** Renders only the rows in view, so ten thousand cost as much as thirty. */
export function LongList<Row>(props: {
  label: string
  class?: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  row: (row: Row) => JSX.Element
}) {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  useEffect(() => {
    const element = box.current!
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const first = Math.max(0, Math.floor(top / ROW_PX) - EXTRA_ROWS)
  const last = Math.min(props.rows.length, Math.ceil((top + height) / ROW_PX) + EXTRA_ROWS)
  return (
    <section
      class={`long-list ${props.class ?? ''}`}
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      tabIndex={0}
      aria-label={props.label}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div style={{ height: `${props.rows.length * ROW_PX}px` }}>
        <div style={{ transform: `translateY(${first * ROW_PX}px)` }}>
          {props.rows.slice(first, last).map((row) => (
            <div key={props.keyOf(row)} class="long-row">
              {props.row(row)}
            </div>
          ))}
        </div>
      </div>
    </section>
  )
}

export function Facts({ rows }: { rows: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export interface Loaded<Value> {
  readonly value: Value | undefined
  readonly error: string | undefined
  readonly isLoading: boolean
}

/**
 * Loads when a dependency changes, one load at a time: a node that answers more slowly than its data changes would
 * otherwise never be shown. A component for another object needs another key.
 */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  dependencies: readonly unknown[],
): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ value: undefined, error: undefined, isLoading: true })
  const line = useRef<{ isBusy: boolean; isOver: boolean; next?: (() => Promise<Value>) | undefined }>({
    isBusy: false,
    isOver: false,
  }).current
  useEffect(() => {
    const run = (now: () => Promise<Value>): void => {
      line.isBusy = true
      const done = (outcome: Omit<Loaded<Value>, 'isLoading'>): void => {
        const { next } = line
        line.isBusy = false
        line.next = undefined
        if (line.isOver) return
        setLoaded({ ...outcome, isLoading: next !== undefined })
        if (next !== undefined) run(next)
      }
      now().then(
        (value) => done({ value, error: undefined }),
        (error: unknown) => done({ value: undefined, error: (error as Error).message }),
      )
    }
    if (line.isBusy) line.next = load
    else run(load)
  }, dependencies)
  useEffect(
    () => () => {
      line.isOver = true
    },
    [],
  )
  return loaded
}

/** A number that grows by one per period, for values that are loaded again and again. */
export function useTurns(periodMs: number): number {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTurn((before) => before + 1), periodMs)
    return () => clearInterval(timer)
  }, [periodMs])
  return turn
}

/** The width of an element, for drawings whose text keeps its size. */
export function useWidth(atFirst: number): [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(atFirst)
  useEffect(() => {
    const element = box.current!
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [box, width]
}

/** Renders its children in a task of their own, so the parts of a large screen share no frame. */
export function InTurn({ children }: { children: ComponentChildren }) {
  const [isDue, setDue] = useState(false)
  useEffect(() => inTurn(() => setDue(true)), [])
  return isDue ? children : <Empty title="Loading…" />
}

export function Problem({ text }: { text: string }) {
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  )
}
