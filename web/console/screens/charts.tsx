import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { bytes, clockTime, count, duration } from '../format.ts'
import { Empty, Facts, Panel, useLoaded, useTurns } from '../parts.tsx'
import { request } from '../rpc.ts'
import type { NodeView } from '../state.ts'
import { inTurn } from '../turns.ts'
import type { Metrics, MetricsHistory, Series } from '../types.ts'

const HEIGHT_PX = 110
const MIN_SPAN_S = 60
/** A line between few samples hides which of them exist. */
const FEW_SAMPLES = 30
const CLOSE_DIGITS = 3

const [AXIS_GAP_PX, CHARACTER_PX] = [12, 6]
const KIB = 1_024
const powers = (base: number, first: number, last: number, steps: readonly number[]): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => base ** (first + at)).flatMap((power) =>
    steps.map((step) => step * power),
  )
const DECIMAL = powers(10, -3, 15, [1, 2, 5])
/** Half a peer and 47.7 MiB are no places for a line. */
const INCREMENTS: Partial<Record<string, number[]>> = {
  count: powers(10, 0, 15, [1, 2, 5]),
  bytes: powers(KIB, 0, 5, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]),
}

/** The node samples every ten seconds. */
const REFRESH_MS = 10_000

export function Charts({ node }: { node: NodeView }) {
  const turn = useTurns(REFRESH_MS)
  const loaded = useLoaded(() => request<MetricsHistory>(node.key, 'debug_metricsHistory'), [node.key, turn])
  const metrics = useLoaded(() => request<Metrics>(node.key, 'debug_metrics'), [node.key, turn])
  const { times = [], series = [] } = loaded.value ?? {}
  const shown = series.filter(({ values }) => values.some((value) => value !== null))
  return (
    <>
      <Panel
        title="Series"
        note={
          times.length > 1
            ? `the last ${duration((times.at(-1)! - times[0]!) * 1_000)}, at most one hour, in UTC`
            : ''
        }
      >
        {shown.length === 0 ? (
          <Empty title="No samples">
            {loaded.error ?? (loaded.isLoading ? 'Loading…' : 'The first arrives within seconds.')}
          </Empty>
        ) : (
          <div class="charts">
            {shown.map((each) => (
              <Chart key={`${node.key} ${each.title}`} series={each} times={times} values={each.values} />
            ))}
          </div>
        )}
      </Panel>
      {metrics.value && <ThreadsAndDisk metrics={metrics.value} />}
    </>
  )
}

export function formatValue(unit: Series['unit'], value: number): string {
  if (unit === 'bytes') return bytes(value)
  if (unit === 'seconds') return duration(value * 1_000)
  const text = value >= 10 || Number.isInteger(value) ? count(Math.round(value)) : value.toFixed(1)
  return unit === 'per second' ? `${text}/s` : text
}

function Chart({
  series,
  times,
  values,
}: {
  series: Series
  times: readonly number[]
  values: readonly (number | null)[]
}) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = values.findLast((value) => value !== null) ?? undefined
  useEffect(() => {
    const element = box.current!
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    )
    const themes = new MutationObserver(() => plot.current?.redraw())
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const cancel = inTurn(() => {
      plot.current = new uPlot(optionsOf(series, element), [[...times], [...values]], element)
      observer.observe(element)
    })
    return () => {
      cancel()
      observer.disconnect()
      themes.disconnect()
      plot.current?.destroy()
    }
  }, [])
  useEffect(() => plot.current?.setData([[...times], [...values]]), [times])
  const text = latest === undefined ? '–' : formatValue(series.unit, latest)
  return (
    <figure class="chart" aria-label={`${series.title}: ${text}`}>
      <figcaption class="chart-head">
        <span class="label">{series.title}</span>
        <span class="strong">{text}</span>
      </figcaption>
      <div ref={box} />
    </figure>
  )
}

const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

function optionsOf({ unit }: Series, { clientWidth }: HTMLElement): uPlot.Options {
  const axis = { stroke: () => colour('--faint'), font: '11px system-ui, sans-serif', ticks: { show: false } }
  const grid = { stroke: () => colour('--line'), width: 1 }
  return {
    width: clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { y: false },
    // A single sample would otherwise get an axis of years.
    scales: {
      x: { range: (_, first, last) => [Math.min(first, last - MIN_SPAN_S), last] },
      y: { range: (_, low, high) => rangeOf(unit, low, high) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 80,
        size: 22,
        values: (_, ticks) => ticks.map((tick) => clockTime(tick * 1_000).slice(0, 5)),
      },
      {
        ...axis,
        grid,
        size: (_, texts) =>
          AXIS_GAP_PX + CHARACTER_PX * Math.max(1, ...(texts ?? []).map((each) => each.length)),
        space: 30,
        incrs: INCREMENTS[unit] ?? DECIMAL,
        values: (_, ticks) => tickTexts(unit, ticks),
      },
    ],
    series: [
      {},
      {
        stroke: () => colour('--accent'),
        width: 1.5,
        points: { size: 4, show: (_, _series, first, last) => last - first < FEW_SAMPLES },
      },
    ],
  }
}

/** Close ticks need more digits to differ. */
function tickTexts(unit: Series['unit'], ticks: readonly number[]): string[] {
  const texts = ticks.map((tick) => formatValue(unit, tick))
  if (unit !== 'bytes' || new Set(texts).size === texts.length) return texts
  return ticks.map((tick) => bytes(tick, CLOSE_DIGITS))
}

/** A constant line is in the middle, and zero at the bottom. */
function rangeOf(unit: Series['unit'], low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1]
  if (low === high) {
    const least = unit === 'bytes' ? KIB : 1
    const margin = Math.max(low === 0 ? 0 : least, Math.abs(low) * 0.1)
    return low === 0 ? [0, least] : [Math.max(0, low - margin), high + margin]
  }
  const margin = (high - low) * 0.1
  return [low >= 0 ? Math.max(0, low - margin) : low - margin, high + margin]
}

function ThreadsAndDisk({ metrics }: { metrics: Metrics }) {
  const heaps = Object.entries((metrics.process?.thread_heap_bytes ?? {}) as Record<string, number>)
  const { size_bytes: size, free_bytes: free } = (metrics.database ?? {}) as Record<string, number>
  const disk = [
    ['Database', size],
    ['Free disk', free],
    ['Memory limit', metrics.process?.memory_limit_bytes as number | undefined],
  ] as const
  const rows = [
    ...heaps.map(([name, value]) => ({ name: `Heap of ${name}`, value })),
    ...disk.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }])),
  ]
  return (
    <Panel title="Threads and disk">
      <Facts rows={rows.map(({ name, value }) => [name, bytes(value)] as const)} />
    </Panel>
  )
}
