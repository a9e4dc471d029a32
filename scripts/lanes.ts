import type { Stage } from './stages.ts'

type Show = (text: string) => void

/**
 * Runs stages in their order. Those that share the machine run beside each other, as many as there are lanes; every
 * other begins when all before it have ended, and has the machine to itself. So a stage that needs what another made
 * comes after it, with one that shares nothing between them.
 */
export async function runInLanes<Result>(
  stages: readonly Stage[],
  lanes: number,
  run: (stage: Stage) => Promise<Result>,
): Promise<Result[]> {
  const running = new Set<Promise<unknown>>()
  const results: Promise<Result>[] = []
  for (const stage of stages) {
    const free = stage.shares ? lanes : 1
    while (running.size >= free) await Promise.race(running)
    const result = run(stage)
    results.push(result)
    const ended: Promise<unknown> = result.finally(() => running.delete(ended))
    running.add(ended)
    if (!stage.shares) await ended
  }
  return await Promise.all(results)
}

interface Page {
  kept: string
  isOver: boolean
}

/** What stages print, one after the other: the oldest of those that run as it comes, that of others when it is their turn. */
export class Pages {
  readonly #show: Show
  readonly #pages: Page[] = []

  constructor(show: Show) {
    this.#show = show
  }

  open(): { readonly show: Show; readonly close: () => void } {
    const page: Page = { kept: '', isOver: false }
    this.#pages.push(page)
    return {
      show: (text) => {
        page.kept += text
        this.#turn()
      },
      close: () => {
        page.isOver = true
        this.#turn()
      },
    }
  }

  #turn(): void {
    for (let page = this.#pages[0]; page !== undefined; page = this.#pages[0]) {
      if (page.kept !== '') this.#show(page.kept)
      page.kept = ''
      if (!page.isOver) return
      this.#pages.shift()
    }
  }
}
