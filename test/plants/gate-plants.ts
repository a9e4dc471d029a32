import type { Plants } from './plant.ts'

const STAGE = 'scripts/run-stage.ts'
const GATE_TEST = 'test/gate/planted-mistakes.test.ts'

/** Mistakes of the gate itself, after which it would call tests passed that were never run or failed. */
export const GATE_PLANTS: Plants = {
  'gate-one-test-is-enough': {
    mistake: 'test.only turns a stage of hundreds of tests into one that passed',
    file: 'scripts/floors.ts',
    from: 'if (count >= floor) return []',
    to: 'if (count > 0) return []',
    caughtBy: GATE_TEST,
  },
  'gate-pattern-without-file': {
    mistake: 'a pattern that matches nothing passes',
    file: STAGE,
    from: 'globSync(pattern, { cwd }).length === 0',
    to: 'globSync(pattern, { cwd }).length < 0',
    caughtBy: GATE_TEST,
  },
  'gate-failing-todo': {
    mistake: 'a failing test that is marked as to do passes',
    file: STAGE,
    from: '    ...(tap.match(/^ *not ok .*# TODO.*$/gm) ?? []).map((line) => line.trim()),\n',
    to: '',
    caughtBy: GATE_TEST,
  },
  'gate-test-ends-process': {
    mistake: 'a test that ends its process takes the tests behind it along unseen',
    file: 'scripts/end-guard.ts',
    from: '    process.exitCode = 1\n',
    to: '',
    caughtBy: GATE_TEST,
  },
  'gate-nothing-ran': {
    mistake: 'a stage in which nothing ran passes',
    file: STAGE,
    from: "ending.code === 0 && tally.passed === 0 ? ['nothing passed'] : []",
    to: "ending.code === 0 && tally.passed < 0 ? ['nothing passed'] : []",
    caughtBy: GATE_TEST,
  },
  'gate-too-little-work': {
    mistake: 'a program that did nothing and ended well passes',
    file: STAGE,
    from: 'return done >= work.least ? []',
    to: 'return done >= 0 ? []',
    caughtBy: GATE_TEST,
  },
}
