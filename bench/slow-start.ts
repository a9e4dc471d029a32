/**
 * A script that programs of `bench start --ratios --slower` load first, in every thread: the thread's CPU time grows by some percent, as if
 * its modules and its start had become slower. The judgement must notice it. The script is JavaScript, because a thread that loads
 * TypeScript first becomes slower by more than that.
 */
export const slowStart = (percent: number): string => `
const usedUs = () => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
let spunUs = 0
const pay = () => {
  const beforeUs = usedUs()
  const owedUs = ((beforeUs - spunUs) * ${percent}) / 100 - spunUs
  // A thread's clock has steps of 4 ms.
  if (owedUs < 4_000) return
  while (usedUs() < beforeUs + owedUs);
  spunUs += usedUs() - beforeUs
}
require('node:module').registerHooks({
  resolve: (specifier, context, nextResolve) => {
    pay()
    return nextResolve(specifier, context)
  },
})
setInterval(pay, 5).unref()
`
