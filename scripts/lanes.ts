import type { Stage } from './stages.ts'

type Show = (text: string) => void

/**
 * Runs stages in order. Stages that share the machine run concurrently, one per lane; any other starts when all stages
 * before it have ended, and runs alone. So a stage that needs another's result comes after it, with a stage that does not
 * share between them.
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

/** Prints the output of stages one after the other: the oldest running stage immediately, others when it is their turn. */
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
