// @ts-check
// Does the work of a proof beside the page, which stays smooth meanwhile.

import { solve } from './naru-proof.js';

addEventListener('message', ({ data }) => postMessage(solve(data)));
