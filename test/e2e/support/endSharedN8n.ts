import { endSharedN8n } from './sharedN8n';

export default endSharedN8n;
