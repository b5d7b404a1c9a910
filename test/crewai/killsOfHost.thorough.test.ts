import { killAtEachStep } from './support/kills';

killAtEachStep('host');
