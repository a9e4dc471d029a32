/** Methods for thread tests: programming mistakes that exhaust the memory of an engine thread. */

import { any } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { Param } from '#jsonrpc/method.ts'

const DOCUMENT = `[${'[],'.repeat(500_000)}[]]`

/**
 * One step of growth each; the memory stays in use. The kinds that V8 limits itself abort the process at V8's limit.
 */
const GROWTHS: Readonly<Record<string, () => () => void>> = {
  numbers: () => {
    const numbers: number[] = []
    return () => {
      for (let count = 0; count < 1_000_000; count++) numbers.push(count + 0.5)
    }
  },
  map: () => {
    const maps: Map<number, object>[] = []
    return () => {
      const map = new Map<number, object>()
      for (let count = 0; count < 10_000; count++) map.set(count, { count })
      maps.push(map)
    }
  },
  json: () => {
    const documents: unknown[] = []
    return () => void documents.push(JSON.parse(DOCUMENT))
  },
  text: () => {
    const texts: string[] = []
    return () => {
      let text = ''
      for (let count = 0; count < 200_000; count++) text += 'grow'
      texts.push(text)
    }
  },
  buffers: () => {
    const buffers: Buffer[] = []
    return () => void buffers.push(Buffer.alloc(1024 * 1024, 1))
  },
}

export const GROWTH_NAMES = Object.keys(GROWTHS)

export default [
  defineMethod({
    name: 'debug_plantedGrowth',
    summary: '',
    needs: ['engine'],
    params: { what: new Param(any(), 'INVALID_PARAMS') },
    result: any(),
    run: (_ports, { what }) => {
      const grow = GROWTHS[what as string]!()
      for (;;) grow()
    },
  }),
  defineMethod({
    name: 'debug_plantedEcho',
    summary: '',
    needs: ['engine'],
    params: { value: new Param(any(), 'INVALID_PARAMS') },
    result: any(),
    run: (_ports, { value }) => value,
  }),
]
