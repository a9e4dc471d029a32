import type { Plants } from './plant.ts'

const STAGE = 'scripts/run-stage.ts'
const GATE_TEST = 'test/meta/gate/planted-mistakes.test.ts'

/** Mistakes of the gate itself, with which it would pass tests that failed or never ran. */
export const GATE_PLANTS: Plants = {
  'gate-skipped-unseen': {
    mistake: 'the gate does not report a skipped scenario',
    file: STAGE,
    from: 'skipped: skipped.length, problems: tooLittleWork',
    to: 'skipped: 0, problems: tooLittleWork',
    caughtBy: GATE_TEST,
  },
  'gate-plants-never-drawn': {
    mistake: 'plants for simulations and crash tests are never drawn',
    file: 'test/meta/plants/draw-plants.ts',
    from: 'const rest = [...plants]',
    to: "const rest = plants.filter(([, { caughtBy }]) => caughtBy.startsWith('src/'))",
    caughtBy: 'test/meta/gate/draw-plants.test.ts',
  },
  'gate-one-test-is-enough': {
    mistake: 'test.only turns a stage of hundreds of tests into one that passed',
    file: 'scripts/floors.ts',
    from: 'if (count < floor * (1 - MAX_DIFFERENCE)) {',
    to: 'if (count === 0) {',
    caughtBy: GATE_TEST,
  },
  'gate-floors-stay-behind': {
    mistake: 'hundreds of tests can be deleted before a stage fails',
    file: 'scripts/floors.ts',
    from: 'if (count - floor <= Math.max(2, floor * MAX_DIFFERENCE)) return []',
    to: 'return []',
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
    mistake: 'a failing test marked as todo passes',
    file: STAGE,
    from: '    ...(tap.match(/^ *not ok .*# TODO.*$/gm) ?? []).map((line) => line.trim()),\n',
    to: '',
    caughtBy: GATE_TEST,
  },
  'gate-test-ends-process': {
    mistake: 'a test that ends its process hides the tests after it',
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
    mistake: 'a program that did no work and exited with 0 passes',
    file: STAGE,
    from: 'return done >= work.least ? []',
    to: 'return done >= 0 ? []',
    caughtBy: GATE_TEST,
  },
}
