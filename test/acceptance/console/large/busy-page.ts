/** The longest tasks of a page's main thread, by the CPU time that Chromium counts: other programs do not lengthen it. */
import type { Browser, Page } from 'playwright-core'

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly dur?: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

export interface BusyTasks {
  readonly tasks: number
  readonly longestCpuMs: number
  /** Includes the time in which the system ran other programs. */
  readonly longestMs: number
}

export async function busyTasksOf(
  browser: Browser,
  page: Page,
  use: () => Promise<void>,
): Promise<BusyTasks> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] })
  let trace: Buffer
  try {
    await use()
  } finally {
    trace = await browser.stopTracing()
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}/${tid}`
  const main = new Set(
    traceEvents
      .filter(({ ph, name, args }) => ph === 'M' && name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  )
  const tasks = traceEvents.filter((event) => event.name === 'RunTask' && main.has(threadOf(event)))
  const longest = (read: (event: TraceEvent) => number | undefined): number =>
    tasks.reduce((most, event) => Math.max(most, (read(event) ?? 0) / 1_000), 0)
  return {
    tasks: tasks.length,
    longestCpuMs: longest(({ tdur }) => tdur),
    longestMs: longest(({ dur }) => dur),
  }
}
