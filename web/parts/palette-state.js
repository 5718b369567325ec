// The orders of the task that is shown, for the palette.
import { signal } from '../ui.js';

/** @type {{value: {offers: any[], about: any} | null}} */
export const offersHere = signal(null);
