// The studio end to end: the real server, a real browser, one after the other. npm run e2e; see README.md.
import "./world.ts";
import "./draw.ts";
import "./find.ts";
import "./values.ts";
import "./models.ts";
import "./classes.ts";
import "./people.ts";
import "./agree.ts";
import "./trouble.ts";
import "./newcomer.ts";
import "./look.ts";
import "./report.ts";
