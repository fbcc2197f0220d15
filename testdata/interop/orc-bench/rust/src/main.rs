//! orc-peer FILE PASSES: reads an ORC file with orc-rust on one thread; a line of JSON for each pass.
//! orc-peer arrow: reads ORC files and writes Arrow IPC files: each line of standard input is FILE<tab>OUT, and is
//! answered by a line at once: ok, or what is wrong.

use arrow::{error::ArrowError, ipc::writer::FileWriter, record_batch::RecordBatchReader};
use orc_rust::ArrowReaderBuilder;
use std::{env, error::Error, fs, fs::File, io, panic, time::Instant};

/// A field of /proc/self/status, in kB.
fn status(field: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|l| l.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// User and system time of this process so far, in seconds.
fn cpu() -> f64 {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e9
}

fn to_arrow(source: &str, target: &str) -> Result<(), Box<dyn Error>> {
    let reader = ArrowReaderBuilder::try_new(File::open(source)?)?.with_batch_size(1000).build();
    let batches = reader.collect::<Result<Vec<_>, ArrowError>>();
    let schema = ArrowReaderBuilder::try_new(File::open(source)?)?.build().schema();
    let mut out = FileWriter::try_new(File::create(target)?, &schema)?;
    for batch in batches? {
        out.write(&batch)?;
    }
    Ok(out.finish()?)
}

fn main() {
    let args: Vec<String> = env::args().collect();
    if args[1] == "arrow" {
        panic::set_hook(Box::new(|_| {}));
        for line in io::stdin().lines() {
            let line = line.unwrap();
            let (source, target) = line.split_once('\t').unwrap();
            let answer = match panic::catch_unwind(|| to_arrow(source, target).map_err(|e| e.to_string())) {
                Ok(Ok(())) => "ok".to_string(),
                Ok(Err(e)) => e.replace('\n', " "),
                Err(_) => "panic".to_string(),
            };
            println!("{answer}");
        }
        return;
    }
    for _ in 0..args[2].parse::<usize>().unwrap() {
        let (c, t) = (cpu(), Instant::now());
        let (mut rows, mut bytes) = (0, 0);
        let reader = ArrowReaderBuilder::try_new(File::open(&args[1]).unwrap()).unwrap().with_batch_size(8192).build();
        let _ = reader.schema();
        for batch in reader {
            let batch = batch.unwrap();
            rows += batch.num_rows();
            bytes += batch.get_array_memory_size();
        }
        println!(
            "{{\"rows\":{rows},\"arrow_bytes\":{bytes},\"cpu\":{:.6},\"wall\":{:.6},\"peak_rss_kb\":{}}}",
            cpu() - c,
            t.elapsed().as_secs_f64(),
            status("VmHWM")
        );
    }
}
