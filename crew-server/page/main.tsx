import { render } from 'preact';

import { App } from './App';

const place = document.getElementById('page');
if (place) render(<App />, place);
