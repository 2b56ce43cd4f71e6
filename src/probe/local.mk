# SPDX-License-Identifier: GPL-2.0-or-later
libnettune_a_SOURCES += src/probe/addr.c src/probe/addr.h src/probe/bulk.c src/probe/chan.c \
	src/probe/client.c src/probe/client.h src/probe/client_io.c src/probe/client_io.h \
	src/probe/completion.c src/probe/completion.h src/probe/connect.c src/probe/endjson.c \
	src/probe/endjson.h src/probe/facts_wire.c src/probe/facts_wire.h src/probe/fit.c \
	src/probe/fit.h src/probe/hist.c src/probe/hist.h src/probe/job.c src/probe/key.c \
	src/probe/result.c src/probe/resultjson.c src/probe/run.c src/probe/run.h src/probe/sample.c \
	src/probe/sample.h src/probe/sample_host.c src/probe/serve_conn.c \
	src/probe/serve_conn.h src/probe/server.c src/probe/server.h src/probe/session.c \
	src/probe/setting.c src/probe/share.c src/probe/share.h \
	src/probe/spec.c src/probe/spec.h src/probe/stream.c src/probe/stream.h \
	src/probe/suite.c src/probe/udp.c src/probe/verdict.c src/probe/wire.c src/probe/wire.h
