import { render } from 'preact'
import { App } from './app.tsx'
import { start } from './state.ts'
import { applyTheme } from './theme.ts'

applyTheme()
render(<App />, document.getElementById('root')!)
void start()
