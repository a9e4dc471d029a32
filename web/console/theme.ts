/** Dark or light: the system's choice until the user makes one, which this browser remembers. */
const KEY = 'theme'

export type Theme = 'dark' | 'light'

export function currentTheme(): Theme {
  const chosen = localStorage.getItem(KEY)
  if (chosen === 'dark' || chosen === 'light') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = currentTheme()
}

export function toggleTheme(): void {
  localStorage.setItem(KEY, currentTheme() === 'dark' ? 'light' : 'dark')
  applyTheme()
}
